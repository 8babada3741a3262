"""Pipeline that makes and measures the default classifier of Sallyport.

It owns the way from data sets to a model directory (tokenizer.json, config.json, model.onnx,
sallyport.json, README.md) and the table that says how good that directory is. Nothing of it is
imported by the product; it runs on a developer's machine and leaves only `models/default` behind.

Stages, each a module with one job and each resumable through files in the work folder:
corpus -> harmless -> compose -> vocabulary -> fit -> export -> calibrate -> golden, then evaluate.
"""
