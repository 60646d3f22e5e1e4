"""The reference solutions, one module a chapter, and the bank of variants."""
