#!/usr/bin/env node
// Ask the reference library for the ids of the corpus and write the golden files.
//
// usage: golden.js TOKENIZERS_PACKAGE CORPUS.json VOCABULARY_DIR HAND_MADE_COUNT OUT_DIR
//
// NAME.ids.json.gz holds the ids of the hand-made strings; NAME.sums holds two bytes per generated
// string (the first of the SHA-256 of its ids as little-endian int32) and then the SHA-256 of all
// ids of all generated strings in order.
const fs = require('fs'), path = require('path'), zlib = require('zlib'), { createHash } = require('crypto')
const [pkg, corpusFile, dir, count, out] = process.argv.slice(2)
const { Tokenizer } = require(path.resolve(pkg))
const texts = JSON.parse(fs.readFileSync(corpusFile, 'utf8')), handMade = Number(count)
const controls = ['[PAD]', '[CLS]', '[SEP]', '[UNK]', '[MASK]']
const bytes = ids => { const b = Buffer.alloc(4 * ids.length); ids.forEach((id, i) => b.writeInt32LE(id, 4 * i)); return b }
const encode = async (t, all) => {
  const ids = []
  for (let i = 0; i < all.length; i += 500) for (const e of await t.encodeBatch(all.slice(i, i + 500))) ids.push(e.getIds())
  return ids
}
async function main() {
  for (const file of fs.readdirSync(dir).filter(f => f.endsWith('.shielded.json'))) {
    const name = file.replace('.shielded.json', '')
    const ids = await encode(Tokenizer.fromFile(path.join(dir, file)), texts)
    // Where no control token is spelled, the file itself must give the same ids.
    const stock = await encode(Tokenizer.fromFile(path.join(dir, name + '.json')), texts)
    let plain = 0
    texts.forEach((text, i) => {
      if (controls.some(c => text.includes(c))) return
      plain++
      if (bytes(stock[i]).compare(bytes(ids[i])) !== 0) console.log(name, 'stock and shielded differ:', JSON.stringify(text), stock[i].join(), ids[i].join())
    })
    fs.writeFileSync(path.join(out, name + '.ids.json.gz'), zlib.gzipSync(JSON.stringify(ids.slice(0, handMade)), { level: 9 }))
    const generated = ids.slice(handMade).map(bytes), whole = createHash('sha256')
    generated.forEach(b => whole.update(b))
    const sums = generated.map(b => createHash('sha256').update(b).digest().subarray(0, 2))
    fs.writeFileSync(path.join(out, name + '.sums'), Buffer.concat([...sums, whole.digest()]))
    fs.writeFileSync(path.join(out, name + '.json.gz'), zlib.gzipSync(fs.readFileSync(path.join(dir, name + '.json')), { level: 9 }))
    console.log(name, texts.length, 'strings,', plain, 'equal to the stock file')
  }
}
main()
