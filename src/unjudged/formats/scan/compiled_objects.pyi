# The compiled module has the names and types of its plain-Python twin.
from unjudged.formats.scan.plain_objects import ids_of_strings as ids_of_strings
from unjudged.formats.scan.plain_objects import stretches_of_strings as stretches_of_strings
