# to do
