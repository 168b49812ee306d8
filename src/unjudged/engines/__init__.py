"""The same evaluation on engines that spread it over many machines."""
