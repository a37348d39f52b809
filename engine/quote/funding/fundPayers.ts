import { type Address, encodeFunctionData, erc20Abi, type Hex, numberToHex } from 'viem';
import { type Parties, randomAddress, type StateOverride } from '../../chain/lensCall.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { sendTogether } from '../../chain/sendTogether.ts';
import type { Funding } from './fundingMemory.ts';
import { type Keys, type Place, toNamedSlots, word } from './storagePlaces.ts';

/** An account that approved the lens, and how much of tokenIn it holds at least. */
export interface Payer {
  account: Address;
  amount: bigint;
}

/** Funded accounts, and the state that makes them so. */
export interface FundedPayers {
  payers: Payer[];
  accounts: StateOverride;
}

const largestWord = 2n ** 256n - 1n;
/** Where no supply can be read: fits every type of balances that is not packed tightly. */
const ample = 2n ** 128n - 1n;
/** Accounts for probes beyond twice the size. */
const mostRungs = 12;
const mostAskedRungs = 3;

/**
 * What the accounts hold: the first just the size, so that rules on what a sender holds act as for a real seller; the
 * others twice the size, then eight times as much each, up to the supply.
 */
export function ladderOf(size: bigint, supply: bigint, most: number): bigint[] {
  const cap = supply === 0n ? ample : supply;
  if (size >= cap) return [size];
  const amounts = [size];
  for (let next = size * 2n; next < cap && amounts.length < most - 1; next *= 8n) amounts.push(next);
  return [...amounts, cap];
}

/** The stored value that gives at least this balance; exactly it where a token stores balances as they are. */
export function toStored(amount: bigint, { stored, balance }: Funding['sample']): bigint {
  if (stored === balance) return amount;
  const least = (amount * stored + balance - 1n) / balance;
  // A sample tells the ratio to some 30 bits; shares move with each block.
  const stores = least + (least >> 30n) + 1n;
  return stores > largestWord ? largestWord : stores;
}

/**
 * Funds new accounts for one call, the trader among them as the first. One more trip where the token's slots have to be
 * asked for; undefined when the node does not name them.
 * @throws {RpcTransportError}
 */
export async function fundPayers(
  node: Node,
  token: Address,
  { lens, trader }: Parties,
  funding: Funding,
  size: bigint,
): Promise<FundedPayers | undefined> {
  const { balances, allowances, supply, sample } = funding;
  const isAsked = 'position' in balances || 'position' in allowances;
  const amounts = ladderOf(size, supply, isAsked ? mostAskedRungs : mostRungs);
  const payers = amounts.map((amount, index) => ({ account: index === 0 ? trader : randomAddress(), amount }));
  const balanceSlots = payers.map(({ account }) => slotReader(balances, [account], toBalanceCall(token, account)));
  const allowanceSlots = payers.map(({ account }) =>
    slotReader(allowances, [account, lens], toAllowanceCall(token, account, lens)),
  );
  const readers = [...balanceSlots, ...allowanceSlots];
  const calls = readers.flatMap(({ call }) => call ?? []);
  const replies = calls.length > 0 ? await sendTogether(node, calls) : [];
  const accounts: Record<Address, { stateDiff: Record<Hex, Hex> }> = {};
  for (const [index, { contract, slotOf, call }] of readers.entries()) {
    const slot = slotOf(call ? replies.shift() : undefined);
    const payer = payers[index % payers.length];
    if (!slot || !payer) return undefined;
    const value = index < payers.length ? toStored(payer.amount, sample) : largestWord;
    const account = accounts[contract] ?? { stateDiff: {} };
    account.stateDiff[slot] = word(value);
    accounts[contract] = account;
  }
  return { payers, accounts };
}

/** Works a slot out, or asks the node for the slots that the read touches and takes the one of that position. */
function slotReader(place: Place, keys: Keys, read: RpcCall) {
  const { contract } = place;
  if ('slotOf' in place) return { contract, slotOf: () => place.slotOf(keys), call: undefined };
  const slotOf = (reply: RpcReply | undefined) => {
    const named = reply && 'result' in reply ? toNamedSlots(reply.result)[place.position] : undefined;
    return named?.contract.toLowerCase() === contract.toLowerCase() ? named.slot : undefined;
  };
  return { contract, slotOf, call: read };
}

const gas = numberToHex(1_000_000);

const toSlotsCall = (token: Address, data: Hex): RpcCall => ({
  method: 'eth_createAccessList',
  params: [{ from: randomAddress(), to: token, data, gas }, 'latest'],
});

/** Asks which slots `balanceOf(holder)` reads. */
export const toBalanceCall = (token: Address, holder: Address): RpcCall => toSlotsCall(token, balanceOfData(holder));

/** Asks which slots `allowance(owner, spender)` reads. */
export const toAllowanceCall = (token: Address, owner: Address, spender: Address): RpcCall =>
  toSlotsCall(token, allowanceData(owner, spender));

export const balanceOfData = (holder: Address): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] });

export const allowanceData = (owner: Address, spender: Address): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] });
