import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256, parseAbi } from 'viem';
import { funderArtifact } from '../../../contracts/artifacts/lens/Funder.ts';
import { sendingWalletArtifact } from '../../../contracts/artifacts/lens/SendingWallet.ts';
import { type FundingCall, randomAddress, type StateOverride, toPlacedCode } from '../../chain/lensCall.ts';
import type { FundingSource, Payer, SourcedFunding } from './fundingMemory.ts';

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
