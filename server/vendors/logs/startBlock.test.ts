import { numberToHex, zeroAddress } from 'viem';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTemporaryStores } from '../../../tests/support/temporaryStores.ts';
import { createTransferNode, type TransferNode } from '../../../tests/support/transferNode.ts';
import type { Facts, Stores } from '../../storage/index.ts';
import { toLowerAddress } from '../ports.ts';
import { defaultLogIndexLimits } from '../vendorConfig.ts';
import { createLogIndexer, type LogIndexer } from './logIndexer.ts';

// Where the scan of a young token starts: created 1,000 blocks before the head, on a node that returns 1,000 blocks of logs.

const token = toLowerAddress('0x00000000000000000000000000000000000070c0');
const codeProbe = '0x4200000000000000000000000000000000000006';
const wallet = (index: number) => toLowerAddress(numberToHex(index + 1, { size: 20 }));
const head = 900_000;
const deployedAt = head - 1_000;
const mint = { block: deployedAt, from: zeroAddress, to: wallet(1), value: 1_000n };
const transfers = [mint, { block: deployedAt + 400, from: wallet(1), to: wallet(2), value: 30n }];
const limits = { ...defaultLogIndexLimits, maxRequests: 300 };

let stores: Stores;
let facts: Facts;
let indexer: LogIndexer;
beforeEach(async () => {
  stores = await openTemporaryStores();
  facts = stores.facts('base');
});
afterEach(async () => {
  await indexer.close();
  await stores.close();
});

/** Reads the token once the indexer knows the limit of the node. @returns the lowest block whose logs were read */
async function lowestBlock(given: Partial<TransferNode>): Promise<{ lowest: number; holders: number | undefined }> {
  const node = createTransferNode(token, {
    head: 20_000,
    deployedAt,
    transfers,
    maxRange: 1_000,
    suggests: true,
    ...given,
  });
  const ports = { now: Date.now, onFault: () => undefined, onSearchEnd: () => undefined };
  indexer = createLogIndexer({ endpoints: [node], store: facts.logIndexes, limits, codeProbe, ...ports });
  const options = { signal: new AbortController().signal, isFree: true };
  await indexer.readIndex(token, options);
  await facts.logIndexes.forget(token);
  node.head = head;
  node.requests = [];
  const { holders } = await indexer.readIndex(token, options).catch(() => ({ holders: undefined }));
  const blocks = node.requests
    .flat()
    .filter(({ method }) => method === 'eth_getLogs')
    .map(({ params }) => Number((params[0] as { fromBlock: string }).fromBlock));
  return { lowest: Math.min(...blocks), holders: holders?.size };
}

test('starts at the creation if the node has the states of recent blocks only', async () => {
  const recent = { keepsStates: true, statesSince: head - 90_000 };
  expect(await lowestBlock(recent)).toEqual({ lowest: deployedAt, holders: 2 });
});
