import { expect, test } from 'vitest';
import { deployments } from '../../venues/deployments/deployments.ts';
import type { QuoteQuery } from '../quoteTypes.ts';
import { feedOf, feedReads, toQuoterSize } from './quoterSize.ts';
import type { ReadResult } from './readTogether.ts';

const { base, polygon } = deployments;
const [weth, usdc] = [base.wrappedNative, base.usdc];
const row = base.feeds[weth];
if (!row) throw new RangeError('Base has a feed of WETH.');
const heartbeat = BigInt(row.heartbeatSeconds);
const now = 1_000_000n;
const queryOf = (size: QuoteQuery['size'], tokenIn = weth): QuoteQuery => ({
  chain: 'base',
  tokenIn,
  tokenOut: usdc,
  size,
});

/** Rounds of the feed and of the sequencer: round, answer, start, update. */
const roundOf = (answer: bigint, updatedAt: bigint): ReadResult => ({ words: [1n, answer, updatedAt, updatedAt] });
const up: ReadResult = { words: [1n, 0n, now - 3_600n] };
interface Scene {
  round?: ReadResult;
  decimals?: ReadResult;
  sequencer?: ReadResult;
  tokenDecimals?: number;
}
const sizeOf = (
  size: QuoteQuery['size'],
  { round = roundOf(2_000n, now), decimals = { words: [0n] }, sequencer = up, tokenDecimals = 18 }: Scene = {},
  tokenIn = weth,
) => toQuoterSize(queryOf(size, tokenIn), base, tokenDecimals, now, [round, decimals, sequencer]);

test('a size in tokens is in base units; one above 256 bits overflows', () => {
  expect(sizeOf({ tokenIn: '1.5' })).toMatchObject({
    amountIn: 15n * 10n ** 17n,
    cut: false,
    usdSource: undefined,
    feedRefused: false,
  });
  expect(sizeOf({ tokenIn: '1.23' }, { tokenDecimals: 1 })).toMatchObject({ amountIn: 12n, cut: true });
  const most = 2n ** 256n - 1n;
  expect(sizeOf({ tokenIn: `${most}` }, { tokenDecimals: 0 })).toMatchObject({ amountIn: most, overflow: false });
  expect(sizeOf({ tokenIn: `${most + 1n}` }, { tokenDecimals: 0 })).toMatchObject({ amountIn: 0n, overflow: true });
});

test('USD of a stable are its units, without a feed', () => {
  expect(sizeOf({ usd: '2.5' }, { round: 'reverted', tokenDecimals: 6 }, usdc)).toMatchObject({
    ...{ amountIn: 2_500_000n, feedRefused: false, usdSource: { source: 'stable', symbol: 'USDC' } },
  });
  expect(sizeOf({ tokenIn: '2.5' }, { tokenDecimals: 6 }, usdc).usdSource).toBeUndefined();
});

test('USD are converted by the feed, with its decimals and those of the token, rounded down', () => {
  const scene = { round: roundOf(3_000n * 10n ** 8n, now), decimals: { words: [8n] } };
  const sized = sizeOf({ usd: '7.5' }, scene);
  expect(sized).toMatchObject({ amountIn: 25n * 10n ** 14n, feedRefused: false, sequencer: 'up' });
  expect(sized.usdSource).toMatchObject({ source: 'feed', updatedAt: Number(now), usdPerToken: 3_000 });
  expect(sized.feed).toEqual({ read: true, answer: 3_000n * 10n ** 8n, updatedAt: now, decimals: 8 });
  expect(sizeOf({ usd: '0.5' }, { round: roundOf(3n, now), tokenDecimals: 2 }).amountIn).toBe(16n);
});

test.each<[string, Scene, boolean]>([
  ['at the age of the heartbeat', { round: roundOf(2_000n, now - heartbeat) }, true],
  ['a second older', { round: roundOf(2_000n, now - heartbeat - 1n) }, false],
  ['of a round in the future', { round: roundOf(2_000n, now + 1n) }, false],
  ['of 0', { round: roundOf(0n, now) }, false],
  ['below 0', { round: roundOf(2n ** 256n - 5n, now) }, false],
  ['that reverted', { round: 'reverted' }, false],
  ['that was not read', { round: 'unread' }, false],
  ['without decimals', { decimals: 'reverted' }, false],
  ['with 36 decimals', { decimals: { words: [36n] } }, true],
  ['with 37 decimals', { decimals: { words: [37n] } }, false],
  ['with the sequencer down', { sequencer: { words: [1n, 1n, now - 9_999n] } }, false],
  ['an hour after the sequencer started, less a second', { sequencer: { words: [1n, 0n, now - 3_599n] } }, false],
  ['with a sequencer that has not started', { sequencer: { words: [1n, 0n, 0n] } }, false],
  ['with an unread sequencer', { sequencer: 'unread' }, false],
])('whether an answer of the feed %s is used', (_, scene, isUsed) => {
  const { amountIn, feedRefused, usdSource } = sizeOf({ usd: '2000' }, scene);
  expect([amountIn > 0n, feedRefused, usdSource !== undefined]).toEqual([isUsed, !isUsed, isUsed]);
});

test('a token without a feed has no size in USD, and no feed was refused', () => {
  const stranger = `0x${'ab'.repeat(20)}` as const;
  expect(sizeOf({ usd: '1' }, {}, stranger)).toMatchObject({ amountIn: 0n, feedRefused: false, usdSource: undefined });
});

test('the feed of tokenIn is read only for a size in USD that needs one', () => {
  expect(feedOf(queryOf({ usd: '1' }), base)).toBe(row);
  expect([feedOf(queryOf({ tokenIn: '1' }), base), feedOf(queryOf({ usd: '1' }, usdc), base)]).toEqual([
    undefined,
    undefined,
  ]);
});

test('answer and decimals of the feed and the sequencer’s answer are read; an address without code stands for none', () => {
  const zero = `0x${'0'.repeat(40)}`;
  expect(feedReads(row, base)).toEqual([
    { to: row.address, data: '0xfeaf968c' },
    { to: row.address, data: '0x313ce567' },
    { to: base.sequencerFeed, data: '0xfeaf968c' },
  ]);
  expect(feedReads(undefined, polygon).map(({ to }) => to)).toEqual([zero, zero, zero]);
  expect(toQuoterSize(queryOf({ tokenIn: '1' }), polygon, 18, now, []).sequencer).toBe('none');
});
