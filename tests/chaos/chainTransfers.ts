import { type Hex, hexToBigInt, pad, toEventSelector } from 'viem';
import { usdcOf } from '../support/buyer.ts';
import type { ChaosEnvironment } from './chaosEnvironment.ts';
import { type EvmPayChain, networkOf, type PayChain } from './payments.ts';
import { readSolanaTransfers, solanaUsdcOf } from './solanaTransfers.ts';
import type { Transfer } from './transfer.ts';

const usedTopic = toEventSelector('AuthorizationUsed(address,bytes32)');
const transferTopic = toEventSelector('Transfer(address,address,uint256)');

interface Log {
  transactionHash: Hex;
  logIndex: Hex;
  topics: Hex[];
  data: Hex;
}

/** Balance of payTo on a chain, in raw units. */
export const payToBalance = (environment: ChaosEnvironment, name: PayChain): Promise<bigint> =>
  name === 'solana'
    ? solanaUsdcOf(environment, environment.svmPayTo)
    : usdcOf(environment.chains[name], environment.payTo);

/** Reads every transfer to payTo. @throws {TypeError} for a transfer that is not a payment */
export const readTransfers = (environment: ChaosEnvironment, name: PayChain): Promise<Transfer[]> =>
  name === 'solana' ? readSolanaTransfers(environment) : readEvmTransfers(environment, name);

/**
 * Reads every transfer to payTo, with the `AuthorizationUsed` event that USDC emits right before it.
 * @throws {TypeError} for a transfer without an authorization
 */
async function readEvmTransfers(environment: ChaosEnvironment, name: EvmPayChain): Promise<Transfer[]> {
  const chain = environment.chains[name];
  const logsOf = (topics: (Hex | null)[]) =>
    environment.node<Log[]>(chain, 'eth_getLogs', [
      { address: chain.usdc, fromBlock: '0x0', toBlock: 'latest', topics },
    ]);
  const positionOf = ({ transactionHash, logIndex }: Log, offset = 0) =>
    `${transactionHash}:${Number(logIndex) + offset}`;
  const authorizationsUsed = new Map((await logsOf([usedTopic])).map((log) => [positionOf(log), log]));
  const incoming = await logsOf([transferTopic, null, pad(environment.payTo).toLowerCase() as Hex]);
  return incoming.map((log) => {
    const authorizationUsed = authorizationsUsed.get(positionOf(log, -1));
    if (!authorizationUsed)
      throw new TypeError(`${name}: USDC came without an authorization in ${log.transactionHash}.`);
    const [, from = '0x', nonce = '0x'] = authorizationUsed.topics;
    const key = [networkOf[name], chain.usdc, `0x${from.slice(-40)}`, nonce].join('|').toLowerCase();
    return { key, value: hexToBigInt(log.data), transaction: log.transactionHash };
  });
}
