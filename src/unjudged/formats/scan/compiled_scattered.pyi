# The compiled module has the names and types of its plain-Python twin.
from unjudged.formats.scan.plain_scattered import match_scattered as match_scattered
