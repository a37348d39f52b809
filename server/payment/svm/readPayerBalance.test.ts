import { type Address, address } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { solanaWallet, startSolana } from '../../../sandbox/index.ts';
import { ChainUnreachableError, openChain } from '../chainCall.ts';
import { genesisHash } from './nodeAnswers.ts';
import { readPayerBalance } from './readPayerBalance.ts';

let solana: Awaited<ReturnType<typeof startSolana>>;

beforeAll(async () => {
  solana = await startSolana();
});
afterAll(() => solana?.close());

const chainAt = (url: string) =>
  openChain({ rpcUrls: [url] }, 2_000, { method: 'getGenesisHash', shape: genesisHash, isRight: () => true });

async function transferFrom(owner: string, mint = solana.usdc) {
  const [source] = await findAssociatedTokenPda({
    owner: address(owner),
    mint: address(solana.usdc),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  });
  return { transfer: { source, mint: address(mint), destination: source, authority: address(owner), amount: 1n } };
}
const newWallet = async (): Promise<Address> =>
  address((await solanaWallet(crypto.getRandomValues(new Uint8Array(32)))).address);

test('default: reads what the source token account holds', async () => {
  const { callProven } = chainAt(solana.rpcUrl);
  const owner = await newWallet();
  await solana.giveUsdc(owner, 123_456_789_012n);
  expect(await readPayerBalance(callProven, await transferFrom(owner))).toBe(123_456_789_012n);
});

test('behavior: 0 without a token account, and for an account of another mint', async () => {
  const { callProven } = chainAt(solana.rpcUrl);
  const owner = await newWallet();
  expect(await readPayerBalance(callProven, await transferFrom(owner))).toBe(0n);
  await solana.giveUsdc(owner, 5n);
  expect(await readPayerBalance(callProven, await transferFrom(owner, owner))).toBe(0n);
  expect(await readPayerBalance(callProven, { transfer: undefined })).toBe(0n);
});

test('error: ChainUnreachableError, not 0, when no node answers', async () => {
  const { callProven } = chainAt('http://127.0.0.1:1');
  await expect(readPayerBalance(callProven, await transferFrom(await newWallet()))).rejects.toThrow(
    ChainUnreachableError,
  );
});
