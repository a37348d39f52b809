import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256, numberToHex, parseAbi } from 'viem';
import { funderArtifact } from '../../../contracts/artifacts/lens/Funder.ts';
import { sendingWalletArtifact } from '../../../contracts/artifacts/lens/SendingWallet.ts';
import { resultOf } from '../../chain/batch.ts';
import { type FundingCall, randomAddress, type StateOverride, toPlacedCode } from '../../chain/lensCall.ts';
import type { Node } from '../../chain/node.ts';
import type { RpcCall, RpcReply } from '../../chain/rpcEndpoint.ts';
import { sendTogether } from '../../chain/sendTogether.ts';
import { type Funding, type FundingSource, isSourced, type Payer, type SourcedFunding } from './fundingMemory.ts';
import { type Keys, type StorageLocation, toNamedSlots, word } from './storageLocations.ts';

/** The state override that funds accounts. */
interface FundedAccounts {
  accounts: StateOverride;
  /** Calls that fund the accounts, if their balances cannot be written. */
  funder?: FundingCall | undefined;
}

/** The stored value for at least this balance; the balance itself if a token stores balances unscaled. */
export function toStored(amount: bigint, { stored, balance }: Funding['sample']): bigint {
  if (stored === balance) return amount;
  const least = (amount * stored + balance - 1n) / balance;
  // A sample gives the ratio to some 30 bits; the rate of shares changes with each block.
  const withMargin = least + (least >> 30n) + 1n;
  return withMargin > maxUint256 ? maxUint256 : withMargin;
}

/**
 * Gives each account its amount, and approves the lens: by a state override, or by calls of a source. One more request
 * if the slots must be read from the node; undefined if the node does not return them.
 * @throws {RpcTransportError}
 */
export async function fundAccounts(
  node: Node,
  token: Address,
  lens: Address,
  funding: Funding | SourcedFunding,
  payers: readonly Payer[],
): Promise<FundedAccounts | undefined> {
  if (isSourced(funding)) return fundFromSource(token, lens, funding, payers);
  const { balances, allowances, sample } = funding;
  const balanceSlots = payers.map(({ account }) =>
    slotReader(balances, [account], () => toBalanceCall(token, account)),
  );
  const allowanceSlots = payers.map(({ account }) =>
    slotReader(allowances, [account, lens], () => toAllowanceCall(token, account, lens)),
  );
  const readers = [...balanceSlots, ...allowanceSlots];
  const calls = readers.flatMap(({ call }) => call ?? []);
  const replies = calls.length > 0 ? await sendTogether(node, calls) : [];
  const accounts: Record<Address, { stateDiff: Record<Hex, Hex> }> = {};
  for (const [index, { contract, slotOf, call }] of readers.entries()) {
    const slot = slotOf(call ? replies.shift() : undefined);
    const payer = payers[index % payers.length];
    if (!slot || !payer) return undefined;
    const value = index < payers.length ? toStored(payer.amount, sample) : maxUint256;
    const account = accounts[contract] ?? { stateDiff: {} };
    account.stateDiff[slot] = word(value);
    accounts[contract] = account;
  }
  return { accounts };
}

/** Computes a slot, or requests the slots that a read accesses and returns the one at that position. */
function slotReader(location: StorageLocation, keys: Keys, read: () => RpcCall) {
  const { contract } = location;
  if ('slotOf' in location) return { contract, slotOf: () => location.slotOf(keys), call: undefined };
  const slotOf = (reply: RpcReply | undefined) => {
    const named = toNamedSlots(resultOf(reply))[location.position];
    return named?.contract === contract ? named.slot : undefined;
  };
  return { contract, slotOf, call: read() };
}

const gas = numberToHex(1_000_000);

const toSlotsCall = (token: Address, data: Hex): RpcCall => ({
  method: 'eth_createAccessList',
  params: [{ from: randomAddress(), to: token, data, gas }, 'latest'],
});

/** Requests the slots that `balanceOf(holder)` reads. */
export const toBalanceCall = (token: Address, holder: Address): RpcCall => toSlotsCall(token, balanceOfData(holder));

/** Requests the slots that `allowance(owner, spender)` reads. */
export const toAllowanceCall = (token: Address, owner: Address, spender: Address): RpcCall =>
  toSlotsCall(token, allowanceData(owner, spender));

export const balanceOfData = (holder: Address): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] });

export const allowanceData = (owner: Address, spender: Address): Hex =>
  encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, spender] });

export const funderAbi = funderArtifact.abi;
const mintAbi = parseAbi(['function mint(address to, uint256 amount)']);

/** A call that an account with the code of `SendingWallet` sends to the token. */
interface Step {
  account: Address;
  data: Hex;
}

/** The source's transfer or mint to an account. */
export function toStep({ account, way }: Pick<FundingSource, 'account' | 'way'>, to: Address, amount: bigint): Step {
  const data =
    way === 'mint'
      ? encodeFunctionData({ abi: mintAbi, functionName: 'mint', args: [to, amount] })
      : encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] });
  return { account, data };
}

/** The contract that sends the steps, and the code of the accounts that act in them. */
export function placeFunder(actors: readonly Address[]): { address: Address; accounts: StateOverride } {
  const address = randomAddress();
  const codes = actors.map((actor) => [actor, { code: toPlacedCode(sendingWalletArtifact) }] as const);
  return { address, accounts: { ...Object.fromEntries(codes), [address]: { code: toPlacedCode(funderArtifact) } } };
}

/**
 * Gives each payer its amount by calls of the source, and lets it approve the lens, before the lens runs. Payers have
 * code then, so a token that treats contracts differently is measured as for them.
 */
export function fundFromSource(
  token: Address,
  lens: Address,
  { source }: Pick<SourcedFunding, 'source'>,
  payers: readonly Payer[],
): { accounts: StateOverride; funder: FundingCall } {
  const { address, accounts } = placeFunder([source.account, ...payers.map(({ account }) => account)]);
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [lens, maxUint256] });
  const steps = payers.flatMap(({ account, amount }) => [
    toStep(source, account, toSent(amount, source)),
    { account, data: approve },
  ]);
  const wrap = (query: Hex): Hex =>
    encodeFunctionData({ abi: funderAbi, functionName: 'run', args: [token, steps, lens, query] });
  return { accounts, funder: { address, wrap } };
}

/** The amount to send so that at least `amount` arrives: a tax on transfers takes a part. */
function toSent(amount: bigint, { sent, received }: FundingSource): bigint {
  return received >= sent ? amount : (amount * sent + received - 1n) / received;
}
