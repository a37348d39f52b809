import { describe, expect, test } from 'vitest';
import { atSlot, rpcOf, solanaGenesis, solanaNode } from '../../../../tests/support/solanaPayments.ts';
import { ChainUnreachableError } from '../../chainCall.ts';
import { openChain } from '../../openChain.ts';
import { genesisHash } from './nodeAnswers.ts';
import { createInclusionReader } from './readInclusion.ts';

const hash = '5'.repeat(88);
const identity = {
  method: 'getGenesisHash' as const,
  shape: genesisHash,
  matches: (id: string) => id === solanaGenesis,
};
const confirmed = { slot: 1_000, err: null, confirmationStatus: 'confirmed' };
const failed = { ...confirmed, err: { InstructionError: [2, { Custom: 1 }] } };

interface View {
  /** Slot of the node that returns statuses; absent: it is up to date. */
  slot?: number;
  status?: unknown;
  height?: number;
}

function openReader({ slot = 2_000, status = null, height = 1_215 }: View) {
  const node = solanaNode({
    getSignatureStatuses: ([hashes]) =>
      atSlot(
        slot,
        (hashes as string[]).map(() => status),
      ),
    getBlockHeight: () => height,
    getSlot: () => 2_000,
  });
  return { ...createInclusionReader(openChain(rpcOf(node), 1_000, identity)), calls: node.calls };
}

describe('readInclusion', () => {
  test.each([
    ['paid', 'a confirmed', confirmed],
    ['paid', 'a finalized', { ...confirmed, confirmationStatus: 'finalized' }],
    ['failed', 'a confirmed and failed', failed],
    ['unconfirmed', 'a processed', { ...confirmed, confirmationStatus: 'processed' }],
    ['unconfirmed', 'a processed and failed', { ...failed, confirmationStatus: 'processed' }],
    ['unconfirmed', 'an unnamed', { slot: 1_000, err: null, confirmationStatus: null }],
    [undefined, 'no', null],
  ])('returns %s for %s status', async (expected, _, status) => {
    expect(await openReader({ status }).readInclusion({ hash })).toBe(expected);
  });

  test('reads only a confirmed status twice, with the whole history', async () => {
    const paid = openReader({ status: confirmed });
    await paid.readInclusion({ hash });
    expect(paid.calls.map(({ params }) => params)).toEqual([
      [[hash], { searchTransactionHistory: true }],
      [[hash], { searchTransactionHistory: true }],
    ]);
    const pending = openReader({ status: null });
    await pending.readInclusion({ hash });
    expect(pending.calls).toHaveLength(1);
  });

  test('behavior: a node of another network that returns a confirmed status is no payment', async () => {
    let identities = 0;
    const node = solanaNode({
      getGenesisHash: () => {
        identities += 1;
        return identities === 1 ? solanaGenesis : '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';
      },
      getSignatureStatuses: () => atSlot(2_000, [confirmed]),
    });
    const { readInclusion } = createInclusionReader(openChain(rpcOf(node), 1_000, identity));
    await expect(readInclusion({ hash })).rejects.toThrow(ChainUnreachableError);
  });

  test('behavior: more than 256 concurrent reads keep the statuses apart', async () => {
    const hashes = Array.from({ length: 300 }, (_, index) => `${index}`.padStart(88, '0'));
    const node = solanaNode({
      getSignatureStatuses: ([asked]) =>
        atSlot(
          2_000,
          (asked as string[]).map((one) => (one === hashes[299] || one === hashes[3] ? confirmed : null)),
        ),
    });
    const { readInclusion } = createInclusionReader(openChain(rpcOf(node), 1_000, identity));
    const seen = await Promise.all(hashes.map((one) => readInclusion({ hash: one })));
    expect(seen.flatMap((kind, index) => (kind === 'paid' ? [index] : []))).toEqual([3, 299]);
    const sizes = node.calls.map(({ params: [asked] }) => (asked as string[]).length);
    expect(Math.max(...sizes)).toBe(256);
    // The reads that arrived during the collection share its requests.
    expect(sizes.length).toBeLessThanOrEqual(4);
  });

  test('behavior: a failed read does not fail the next one', async () => {
    let reads = 0;
    const node = solanaNode({
      getSignatureStatuses: () => {
        reads += 1;
        return reads === 1 ? undefined : atSlot(2_000, [confirmed]);
      },
    });
    const { readInclusion } = createInclusionReader(openChain(rpcOf(node), 1_000, identity));
    await expect(readInclusion({ hash })).rejects.toThrow('JSON-RPC error -32005');
    expect(await readInclusion({ hash })).toBe('paid');
  });
});

describe('hasExpired', () => {
  test.each([
    [true, 'the finalized height is 215 blocks later and no block contains it', {}],
    [false, 'the finalized height is 214 blocks later', { height: 1_214 }],
    [true, 'it failed', { status: failed }],
    [true, 'the status is as new as the finalized slot', { slot: 2_000 }],
    [false, 'the node of the status is behind the finalized slot', { slot: 1_999 }],
    [false, 'the node of a failed status is behind the finalized slot', { slot: 1_999, status: failed }],
    [false, 'it has paid', { status: confirmed }],
    [false, 'a block that is not confirmed contains it', { status: { ...confirmed, confirmationStatus: 'processed' } }],
    [false, 'a failure is not confirmed', { status: { ...failed, confirmationStatus: 'processed' } }],
  ])('%s if %s', async (expected, _, view: View) => {
    expect(await openReader(view).hasExpired({ hash, fromBlock: 1_000n })).toBe(expected);
  });

  test('reads the finalized height and slot, then the status in the whole history', async () => {
    const reader = openReader({});
    await reader.hasExpired({ hash, fromBlock: 1_000n });
    const finalized = [{ commitment: 'finalized' }];
    expect(reader.calls).toEqual([
      { method: 'getBlockHeight', params: finalized },
      { method: 'getSlot', params: finalized },
      { method: 'getSignatureStatuses', params: [[hash], { searchTransactionHistory: true }] },
    ]);
  });
});
