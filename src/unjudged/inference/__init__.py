"""From contrasts to rows: intervals, tests, corrections, margins and headlines. No source is known here."""
