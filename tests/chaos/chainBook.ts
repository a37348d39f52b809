import { type Hex, hexToBigInt, pad, toEventSelector } from 'viem';
import type { ChaosWorld } from './chaosWorld.ts';
import { type EvmPayChain, networkOf, type PayChain } from './payments.ts';
import { readSolanaTransfers, solanaUsdcOf } from './solanaBook.ts';

/** A payment that moved USDC to us, as the chain tells it. */
export interface Transfer {
  /** As the ledger names it. */
  key: string;
  value: bigint;
  transaction: string;
}

const usedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
const transferTopic = toEventSelector('Transfer(address,address,uint256)');

interface Log {
  transactionHash: Hex;
  logIndex: Hex;
  topics: Hex[];
  data: Hex;
}

/** What we hold on a chain, raw units. */
export const usdcWeHold = (world: ChaosWorld, name: PayChain): Promise<bigint> =>
  name === 'solana' ? solanaUsdcOf(world, world.svmPayTo) : world.usdcOf(world.chains[name], world.payTo);

/** @throws {TypeError} when somebody paid us in a way that is no payment */
export const readTransfers = (world: ChaosWorld, name: PayChain): Promise<Transfer[]> =>
  name === 'solana' ? readSolanaTransfers(world) : readEvmTransfers(world, name);

/**
 * Every transfer to payTo, each with the authorization right before it.
 * @throws {TypeError} when somebody paid us without one
 */
async function readEvmTransfers(world: ChaosWorld, name: EvmPayChain): Promise<Transfer[]> {
  const chain = world.chains[name];
  const logsOf = (topics: (Hex | null)[]) =>
    world.node<Log[]>(chain, 'eth_getLogs', [{ address: chain.usdc, fromBlock: '0x0', toBlock: 'latest', topics }]);
  const placeOf = ({ transactionHash, logIndex }: Log, off = 0) => `${transactionHash}:${Number(logIndex) + off}`;
  const used = new Map((await logsOf([usedTopic])).map((log) => [placeOf(log), log]));
  const incoming = await logsOf([transferTopic, null, pad(world.payTo).toLowerCase() as Hex]);
  return incoming.map((log) => {
    const before = used.get(placeOf(log, -1));
    if (!before) throw new TypeError(`${name}: USDC came without an authorization in ${log.transactionHash}.`);
    const [, from = '0x', nonce = '0x'] = before.topics;
    const key = [networkOf[name], chain.usdc, `0x${from.slice(-40)}`, nonce].join('|').toLowerCase();
    return { key, value: hexToBigInt(log.data), transaction: log.transactionHash };
  });
}
