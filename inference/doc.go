// Package inference is the classifier: it opens a model directory, proves that
// what it opened is a prompt-injection classifier, turns text into windows of
// token ids, and scores windows.
//
// It owns the directory's layout (the one of Llama Prompt Guard 2: model.onnx,
// tokenizer.json, config.json, and our own sallyport.json), every check that
// must hold before a score may decide anything, and the scores themselves. Its
// sub-packages own tokenizing, window planning, batch planning and the native
// runtime.
//
// It never queues, caches, retries or times anything out: that is the model
// pool's work, which calls Open, Plan and Run. It knows nothing of actors,
// MCP or verdicts.
package inference
