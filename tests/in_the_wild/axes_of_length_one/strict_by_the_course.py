"""The course asks for exact shapes, of notebooks too.

lesson: 03
as: notebook
course: shape = "strict"
dbnvar_inv: shape
"""
# instead of: dbnvar_inv =
dbnvar_inv = (bndiff * dbnraw).sum(0)
