import type { Provider } from './findWallets.ts';
import type { SwapRecord } from './swapRecords.ts';
import { nativeAddress } from './tokens.ts';

// Reads by the user's wallet. A read that fails or takes long is undefined: it does not stop a payment.

const timeoutMs = 3_000;

/** Selectors of ERC-20. */
const selectors = {
  allowance: '0xdd62ed3e',
  balanceOf: '0x70a08231',
  decimals: '0x313ce567',
  totalSupply: '0x18160ddd',
};

/** An address or a number as one word of calldata. */
export const toWord = (value: string | bigint): string => BigInt(value).toString(16).padStart(64, '0');

/** The balance of an account in base units; undefined if the wallet cannot read it. */
export const readBalance = (
  wallet: Provider,
  token: string,
  account: string,
  block = 'latest',
): Promise<bigint | undefined> => readWord(wallet, token, selectors.balanceOf + toWord(account), block);

/** What a spender may take from an account, in base units; undefined if the wallet cannot read it. */
export const readAllowance = (
  wallet: Provider,
  token: string,
  { account, spender }: { account: string; spender: string },
): Promise<bigint | undefined> => readWord(wallet, token, selectors.allowance + toWord(account) + toWord(spender));

/**
 * The reason why no venue can fill a size: it is above the token's supply, or below its smallest unit. Undefined if the wallet
 * reads no such reason.
 * @param size whole tokens
 * @param chainId the token's chain; a wallet on another chain reads nothing
 */
export async function findSizeProblem(
  wallet: Provider,
  { token, size, chainId }: { token: string; size: string; chainId: number },
): Promise<string | undefined> {
  if (token.toLowerCase() === nativeAddress.toLowerCase()) return undefined;
  const connected = await ask(wallet, 'eth_chainId');
  if (Number(connected) !== chainId) return undefined;
  const [decimals, supply] = await Promise.all([
    readWord(wallet, token, selectors.decimals),
    readWord(wallet, token, selectors.totalSupply),
  ]);
  if (decimals === undefined || decimals > 255n || supply === undefined) return undefined;
  const units = toUnits(size, Number(decimals));
  if (units === 0n) return `The size is below the smallest unit of the token, which has ${decimals} decimals.`;
  return units > supply ? 'The size is larger than the whole supply of the token.' : undefined;
}

function toUnits(size: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = size.split('.');
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
}

async function readWord(wallet: Provider, to: string, data: string, block = 'latest'): Promise<bigint | undefined> {
  const answer = await ask(wallet, 'eth_call', [{ to, data }, block]);
  return typeof answer === 'string' && /^0x[0-9a-f]{64}$/i.test(answer) ? BigInt(answer) : undefined;
}

/** How many transactions of an account are mined; undefined if the wallet cannot read it. */
export async function readNonce(wallet: Provider, account: string): Promise<number | undefined> {
  const count = await ask(wallet, 'eth_getTransactionCount', [account, 'latest']);
  return typeof count === 'string' && /^0x[0-9a-f]+$/i.test(count) ? Number(count) : undefined;
}

/**
 * Whether the node does not know the transaction, and the account has mined another one since: a wallet that speeds a
 * transaction up or cancels it sends one with the same nonce and another hash. Undefined if the wallet cannot read it.
 */
export async function wasReplaced(
  wallet: Provider,
  { account, nonce, hash }: SwapRecord,
): Promise<boolean | undefined> {
  if (nonce === undefined) return false;
  const mined = await readNonce(wallet, account);
  if (mined === undefined) return undefined;
  if (mined <= nonce) return false;
  const known = await ask(wallet, 'eth_getTransactionByHash', [hash]);
  return known === undefined ? undefined : known === null;
}

/** A read by the wallet's node; undefined if it fails or takes long. */
export function ask(wallet: Provider, method: string, params: unknown[] = []): Promise<unknown> {
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, timeoutMs, undefined));
  return Promise.race([wallet.request({ method, params }).catch(() => undefined), late]);
}
