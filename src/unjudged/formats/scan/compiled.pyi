# The compiled module has the names and types of its plain-Python twins.
from unjudged.formats.scan.plain import KIND_OF_SCANNER as KIND_OF_SCANNER
from unjudged.formats.scan.plain import Index as Index
from unjudged.formats.scan.plain import best_first as best_first
from unjudged.formats.scan.plain import match_table as match_table
from unjudged.formats.scan.plain import number_names as number_names
from unjudged.formats.scan.plain_mappings import match_dicts as match_dicts
from unjudged.formats.scan.plain_mappings import match_mapping as match_mapping
from unjudged.formats.scan.plain_mappings import nested_rows as nested_rows
from unjudged.formats.scan.plain_mappings import table_of_dicts as table_of_dicts
from unjudged.formats.scan.plain_text import read_table as read_table
from unjudged.formats.scan.plain_text import scan_run as scan_run
from unjudged.formats.scan.plain_unordered import PARTS as PARTS
from unjudged.formats.scan.plain_unordered import GroupedRows as GroupedRows
from unjudged.formats.scan.plain_unordered import UnorderedRows as UnorderedRows
from unjudged.formats.scan.plain_unordered import scan_unordered as scan_unordered
