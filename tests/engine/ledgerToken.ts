import { type Abi, type Address, encodeDeployData, getAddress, type Hex, keccak256, toHex } from 'viem';
import { recognisingTokenArtifact } from '../../contracts/artifacts/sandbox/RecognisingToken.ts';
import { makerAddress, type TokenPlan } from '../../sandbox/index.ts';

/** Whole tokens that the market maker starts with: far fewer than 2^96 base units, so that nothing overflows. */
const stock = 10n ** 27n;

/** A contract at an address derived from its name. */
export function placed(name: string, { abi, bytecode }: { abi: unknown; bytecode: Hex }, args: readonly unknown[]) {
  const address: Address = getAddress(`0x${keccak256(toHex(`truefill test: ${name}`)).slice(-40)}`);
  return { address, creation: encodeDeployData({ abi: abi as Abi, bytecode, args }) };
}

/** A token of contracts/sandbox/hostile, of 18 decimals; the market maker holds the supply. */
export function ledgerToken(
  symbol: string,
  usd: number,
  contract: { abi: unknown; bytecode: Hex },
  args: readonly unknown[] = [],
): TokenPlan & { address: Address } {
  const placement = placed(symbol, contract, [symbol, makerAddress, stock, ...args]);
  return { symbol, address: placement.address, decimals: 18, usd, about: symbol, placement };
}

/** By symbol, in the order of RecognisingToken's rules. */
export const recognitionRules = [
  'ORIGIN',
  'LENSCODE',
  'GASPRICE',
  'BASEFEE',
  'NATIVE',
  'PULLED',
  'EXTERNAL',
  'OVERSUPPLY',
  'SHARE',
  'BONUS',
];

/** A token for each rule, at 2 USD. */
export const recognisingTokens = () =>
  recognitionRules.map((symbol, rule) => ledgerToken(symbol, 2, recognisingTokenArtifact, [rule]));
