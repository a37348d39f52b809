import { type Address, encodeFunctionData, type Hex, maxUint256 } from 'viem';
import type { Action, Placement } from '../chainPlan.ts';
import { creationCode } from '../placement/creationCode.ts';
import { derivedAddress } from '../placement/derivedAddress.ts';
import { published } from '../published/published.ts';

const checker = derivedAddress('USDC signature checker');
const implementation = derivedAddress('USDC implementation');
/** USDC's EIP-712 domain name on mainnet, which live mode requires. */
export const mainnetUsdcName = 'USD Coin';

/** Differs from mainnet, so that sandbox signatures are invalid there. */
export const sandboxUsdcName = 'USD Coin (truefill sandbox)';

const lostAndFound = derivedAddress('USDC lost and found');

/** Circle's FiatTokenV2_2 behind its proxy, as deployed on mainnet. */
export function placeUsdc(proxy: Address): Placement[] {
  const token = published.fiatToken();
  const linked = token.bytecode.replace(/__\$[0-9a-f]{34}\$__/g, checker.slice(2).toLowerCase()) as Hex;
  return [
    { address: checker, creation: creationCode(published.signatureChecker()) },
    { address: implementation, creation: creationCode({ ...token, bytecode: linked }) },
    { address: proxy, creation: creationCode(published.fiatTokenProxy(), [implementation]) },
  ];
}

/** The owner's calls that initialise each version of USDC, with `name` as the EIP-712 domain name, and mint `stock`. */
export function issueUsdc(proxy: Address, owner: Address, stock: bigint, name: string): Action[] {
  const { abi } = published.fiatToken();
  const step = (functionName: string, args: readonly unknown[]): Action => ({
    to: proxy,
    data: encodeFunctionData({ abi, functionName, args }),
  });
  return [
    step('initialize', [name, 'USDC', 'USD', 6, owner, owner, owner, owner]),
    step('initializeV2', [name]),
    step('initializeV2_1', [lostAndFound]),
    step('initializeV2_2', [[], 'USDC']),
    step('configureMinter', [owner, maxUint256]),
    step('mint', [owner, stock]),
  ];
}
