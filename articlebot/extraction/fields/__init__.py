"""The fields of an article beside its text: headline, authors, source, dates, images and the address it is kept by."""
