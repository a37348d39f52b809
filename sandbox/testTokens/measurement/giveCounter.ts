import { type Address, encodeFunctionData, parseAbi } from 'viem';
import { toMakerTransactions } from '../../market/maker.ts';
import { operatorAddress } from '../../placement/operator.ts';
import type { NodeClient } from '../../rpc/nodeClient.ts';
import type { SandboxChain } from '../../sandboxTypes.ts';
import { transferOf } from '../../tokens/erc20.ts';
import type { TestTokenPool, TestTokens } from '../testTokenTypes.ts';
import { sendAndMine, sendUnlockedAndMine, succeeded, type Trader } from './traders.ts';

const abi = parseAbi(['function deposit() payable']);

/** Funds a wallet with a pool's counter-asset, by wrapping ether or by a transfer of the deployer or market maker. */
export async function giveCounter(
  node: NodeClient,
  { chain, testTokens }: { chain: SandboxChain; testTokens: TestTokens },
  { counter }: TestTokenPool,
  wallet: Trader,
  amount: bigint,
): Promise<void> {
  if (counter === chain.wrappedNative) {
    await sendAndMine(node, wallet, [
      { to: counter, value: amount, data: encodeFunctionData({ abi, functionName: 'deposit' }) },
    ]);
    return;
  }
  const transfer = { data: '0x', ...transferOf(counter, wallet.address, amount) } as const;
  const isTestToken = testTokens.tokens.some(({ address }) => address === counter);
  const [from, transactions]: [Address, (typeof transfer)[]] = isTestToken
    ? [testTokens.deployer, [transfer]]
    : [operatorAddress, toMakerTransactions([transfer]).map(({ to, data = '0x' }) => ({ to, data }))];
  if (!succeeded(await sendUnlockedAndMine(node, from, transactions)))
    throw new Error(`Could not fund ${wallet.address} with ${counter}.`);
}
