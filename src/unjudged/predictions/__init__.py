"""People and models judging together: estimates that use predictions for precision and people for truth."""
