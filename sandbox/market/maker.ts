import { encodeFunctionData } from 'viem';
import { marketMakerArtifact } from '../../contracts/artifacts/sandbox/MarketMaker.ts';
import type { Action, Placement } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { operatorAddress } from '../placement/operator.ts';

/** The contract that holds the supply of every token and provides all liquidity. */
export const makerAddress = derivedAddress('market maker');

export function placeMaker(): Placement {
  return { address: makerAddress, creation: creationCode(marketMakerArtifact, [operatorAddress]) };
}

const callsPerTransaction = 8;

/** Operator transactions that execute these calls through the maker, in order. */
export function toMakerTransactions(actions: readonly Action[]): Action[] {
  const transactions: Action[] = [];
  for (let at = 0; at < actions.length; at += callsPerTransaction) {
    const calls = actions
      .slice(at, at + callsPerTransaction)
      .map(({ to, data = '0x', value = 0n }) => ({ to, data, value }) as const);
    const data = encodeFunctionData({ abi: marketMakerArtifact.abi, functionName: 'perform', args: [calls] });
    transactions.push({ to: makerAddress, data });
  }
  return transactions;
}
