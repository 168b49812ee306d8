# The compiled module has the names and types of its twin.
from unjudged.formats.mapping_reference import match_mapping as match_mapping
from unjudged.formats.mapping_reference import nested_rows as nested_rows
from unjudged.formats.scan_reference import KIND_OF_SCANNER as KIND_OF_SCANNER
from unjudged.formats.scan_reference import Index as Index
from unjudged.formats.scan_reference import best_first as best_first
from unjudged.formats.scan_reference import match_table as match_table
from unjudged.formats.scan_reference import read_table as read_table
from unjudged.formats.scan_reference import scan_run as scan_run
