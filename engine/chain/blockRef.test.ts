import { toHex } from 'viem';
import { expect, test } from 'vitest';
import { blockTimeMs, toBlockRef } from './blockRef.ts';

const hash = `0x${'11'.repeat(32)}`;
const timeOf = (more: object) => {
  const read = toBlockRef({
    result: { number: '0x1', hash, parentHash: hash, timestamp: toHex(1_800_000_000), ...more },
  });
  return read && blockTimeMs(read.block);
};

test('the time of a block has the milliseconds that the node returns', () => {
  expect(timeOf({ timestampMs: toHex(1_800_000_000_400) })).toBe(1_800_000_000_400);
});

test.each([
  ['are absent', {}],
  ['are of another second', { timestampMs: toHex(1_800_000_001_000) }],
  ['are no quantity', { timestampMs: 1_800_000_000_400 }],
])('the time of a block is the start of its second if the milliseconds %s', (_name, more) => {
  expect(timeOf(more)).toBe(1_800_000_000_000);
});

const raw = { number: '0x10', hash, parentHash: `0x${'22'.repeat(32)}`, timestamp: '0x64' };

test('reads number, hashes, time, coinbase and randomness of a header', () => {
  const [miner, mixHash] = [`0x${'cc'.repeat(20)}`, `0x${'dd'.repeat(32)}`];
  const header = { ...raw, miner, mixHash };
  expect(toBlockRef({ result: header })).toEqual({
    header,
    block: {
      ...{ number: 16n, hash, parentHash: raw.parentHash, timestamp: 100n },
      ...{ timeMs: undefined, coinbase: miner, prevRandao: mixHash },
    },
  });
});

test.each([
  ['no reply', undefined],
  ['an error', { error: { code: -32_000, message: 'header not found' } }],
  ['null', { result: null }],
  ['text', { result: '0x10' }],
  ['no number', { result: { ...raw, number: undefined } }],
  ['a number above 64 bits', { result: { ...raw, number: `0x1${'0'.repeat(16)}` } }],
  ['a decimal number', { result: { ...raw, number: 16 } }],
  ['a list that looks like a number', { result: { ...raw, number: ['0x10'] } }],
  ['text before the number', { result: { ...raw, number: ' 0x10' } }],
  ['text after the number', { result: { ...raw, number: '0x10 ' } }],
  ['no timestamp', { result: { ...raw, timestamp: '0x' } }],
  ['a short hash', { result: { ...raw, hash: hash.slice(0, -1) } }],
  ['a long hash', { result: { ...raw, hash: `${hash}1` } }],
  ['text before the hash', { result: { ...raw, hash: ` ${hash}` } }],
  ['a list that looks like a hash', { result: { ...raw, hash: [hash] } }],
  ['no parent hash', { result: { ...raw, parentHash: undefined } }],
])('%s is no header', (_, reply) => {
  expect(toBlockRef(reply)).toBeUndefined();
});

test.each([
  ['a short address', `0x${'cc'.repeat(19)}`],
  ['a long address', `0x${'cc'.repeat(21)}`],
  ['a list', [`0x${'cc'.repeat(20)}`]],
  ['text before an address', ` 0x${'cc'.repeat(20)}`],
  ['a word', `0x${'cc'.repeat(32)}`],
])('the coinbase is undefined if the header has %s', (_, miner) => {
  expect(toBlockRef({ result: { ...raw, miner } })?.block.coinbase).toBeUndefined();
});
