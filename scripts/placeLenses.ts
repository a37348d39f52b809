/**
 * npm run place:lenses -- --chain base --key-file PATH [--rpc https://…]
 *
 * Puts the lenses of this version onto a chain, so that a service no longer sends their code (48 kB a quote, 85 kB a
 * check) with each question. It finds them by itself at its next start. The key's account pays the gas, 9.4 million in
 * two transactions on the sandbox's Base; it owns nothing afterwards.
 */
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { BaseError, formatEther, type Hex, isHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { tame } from '../client/cli/index.ts';
import { chainIds, chainNames, placeableLenses } from '../engine/index.ts';
import { createHttpRpcEndpoint } from '../server/rpc/index.ts';
import { PlacingError, placeLens } from './place/placeLens.ts';

/** What the caller can set right: told in one line, without a stack. */
class WishError extends Error {}

function readWishes() {
  try {
    const { values } = parseArgs({
      options: { chain: { type: 'string' }, rpc: { type: 'string' }, 'key-file': { type: 'string' } },
    });
    return values;
  } catch (cause) {
    throw new WishError((cause as Error).message, { cause });
  }
}

/** The file holds the key in hex; a key on the command line would stand in every list of processes. */
async function readKey(path: string | undefined): Promise<Hex> {
  if (!path) throw new WishError('Give the file that holds the paying key with --key-file.');
  const text = (await readFile(path, 'utf8').catch(() => '')).trim();
  const key = text.startsWith('0x') ? text : `0x${text}`;
  if (!isHex(key) || key.length !== 66) throw new WishError('The key file holds no private key of 32 bytes in hex.');
  return key;
}

async function place(): Promise<void> {
  const wishes = readWishes();
  const chain = chainNames.find((name) => name === wishes.chain);
  if (!chain) throw new WishError(`--chain must be one of ${chainNames.join(', ')}.`);
  const url = wishes.rpc ?? process.env[`RPC_URL_${chain.toUpperCase()}`]?.split(',')[0]?.trim();
  if (!url) throw new WishError(`Give a node of ${chain} with --rpc, or in RPC_URL_${chain.toUpperCase()}.`);
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new WishError(`--rpc, or the first of RPC_URL_${chain.toUpperCase()}, is no http or https URL.`);
  const account = privateKeyToAccount(await readKey(wishes['key-file']));
  const endpoint = createHttpRpcEndpoint({ url, label: `the ${chain} node`, timeoutMs: 20_000 });
  const [reply] = await endpoint.send([{ method: 'eth_chainId', params: [] }], { signal: AbortSignal.timeout(20_000) });
  const id = reply && 'result' in reply ? Number(reply.result) : Number.NaN;
  if (id !== chainIds[chain]) throw new WishError(`The node serves chain ${id}, not ${chain} (${chainIds[chain]}).`);
  for (const [name, lens] of Object.entries(placeableLenses)) {
    const { address, outcome, paid } = await placeLens(url, account, lens);
    console.log(`${name}  ${address}  ${outcome}${paid > 0n ? `, for ${formatEther(paid)} of the native token` : ''}`);
  }
}

try {
  await place();
} catch (error) {
  // An error of viem's names the URL, and with it its key.
  const known = error instanceof WishError || error instanceof PlacingError;
  console.error(
    known ? error.message : error instanceof BaseError ? tame(error.shortMessage) : 'The node did not answer.',
  );
  process.exitCode = 1;
}
