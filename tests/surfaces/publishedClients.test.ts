import { address, createKeyPairSignerFromBytes, createSolanaRpc, getBase58Encoder, mainnet } from '@solana/kit';
import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { wrapAxiosWithPayment, x402Client as x402AxiosClient } from '@x402/axios';
import { decodePaymentResponseHeader } from '@x402/core/http';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import axios from 'axios';
import { type Address, createPublicClient, erc20Abi, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';
import { findWallet } from '../support/findWallet.ts';

// The published x402 clients for fetch and axios on every network. Their default spend controls allow USDC at its
// canonical address and at most one dollar.

let started: StartedSandbox;
beforeAll(async () => {
  started = await startedSandbox();
});
afterAll(() => started?.close());

const networks = ['eip155:8453', 'eip155:137', 'eip155:42161', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'] as const;
type Network = (typeof networks)[number];
const price = 20_000n;

function solana() {
  if (!started.sandbox.solana) throw new Error('No Solana.');
  return started.sandbox.solana;
}

const solanaWallet = (role: string) => findWallet(solana().wallets, role);

/** A published x402 client that pays with the demo wallet on one network. */
async function clientOf(network: Network, spending?: { maxAmountPerPayment: string }): Promise<x402Client> {
  const options = spending && { spendControls: spending };
  if (!network.startsWith('solana:')) {
    const scheme = new ExactEvmScheme(privateKeyToAccount(started.keyOf('demo')));
    return x402Client.fromConfig({ schemes: [{ network, client: scheme }], ...options });
  }
  const { rpcUrl } = solana();
  const demo = solanaWallet('demo');
  const signer = await createKeyPairSignerFromBytes(new Uint8Array(getBase58Encoder().encode(demo.secretKey ?? '')));
  return x402Client.fromConfig({ schemes: [{ network, client: new ExactSvmScheme(signer, { rpcUrl }) }], ...options });
}

/** Balance of payTo on a network, in base units of USDC. */
async function payToBalance(network: Network): Promise<bigint> {
  if (network.startsWith('solana:')) {
    const [tokenAccount] = await findAssociatedTokenPda({
      owner: address(solanaWallet('payTo').address),
      mint: address(solana().usdc),
      tokenProgram: TOKEN_PROGRAM_ADDRESS,
    });
    const { value } = await createSolanaRpc(mainnet(solana().rpcUrl)).getTokenAccountBalance(tokenAccount).send();
    return BigInt(value.amount);
  }
  const chain = Object.values(started.sandbox.chains).find(({ chainId }) => network === `eip155:${chainId}`);
  const payTo = started.sandbox.wallets.find(({ role }) => role === 'payTo');
  if (!chain || !payTo) throw new Error(`No chain ${network}.`);
  return createPublicClient({ transport: http(chain.rpcUrl) }).readContract({
    address: String(chain.usdc) as Address,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [payTo.address as Address],
  });
}

const quoteInput = () => {
  const [base] = Object.values(started.sandbox.chains) as unknown as { wrappedNative: string; usdc: string }[];
  return { tokenIn: base?.wrappedNative, tokenOut: base?.usdc, sizeIn: '0.25', chain: 'base' };
};

/** Buy a quote and return status, receipt and answer. */
const buyers = {
  async fetch(client: x402Client) {
    const response = await wrapFetchWithPayment(fetch, client)(`${started.url}/v1/quote`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(quoteInput()),
    });
    return {
      status: response.status,
      receipt: response.headers.get('payment-response'),
      answer: (await response.json()) as Record<string, unknown>,
    };
  },
  async axios(client: x402Client) {
    // The wrapper's type refers to an older version of the core. Both versions have the methods that it calls.
    const payingAxios = wrapAxiosWithPayment(axios.create(), client as unknown as x402AxiosClient);
    const { status, headers, data } = await payingAxios.post(`${started.url}/v1/quote`, quoteInput());
    return { status, receipt: headers['payment-response'] as string, answer: data as Record<string, unknown> };
  },
};

const everyNetwork = networks.flatMap((network) =>
  (['fetch', 'axios'] as const).map((library) => [library, network] as const),
);

test.each(everyNetwork)('default: @x402/%s with spend controls buys one answer on %s', async (library, network) => {
  const before = await payToBalance(network);
  const { status, receipt, answer } = await buyers[library](await clientOf(network));
  expect(status).toBe(200);
  expect(answer).toMatchObject({ chain: 'base', amountOut: expect.stringMatching(/^[1-9]\d*$/) });
  expect(decodePaymentResponseHeader(receipt ?? '')).toMatchObject({ success: true, network });
  expect((await payToBalance(network)) - before).toBe(price);
});

test.each(everyNetwork)(
  'error: @x402/%s rejects the price, uncharged, with a limit of one cent on %s',
  async (library, network) => {
    const before = await payToBalance(network);
    const limited = await clientOf(network, { maxAmountPerPayment: '$0.01' });
    await expect(buyers[library](limited)).rejects.toThrow(/spend/i);
    expect(await payToBalance(network)).toBe(before);
  },
);

test('default: @x402/axios buys an answer with the client version that it depends on', async () => {
  const before = await payToBalance('eip155:8453');
  const client = new x402AxiosClient();
  const scheme = new ExactEvmScheme(privateKeyToAccount(started.keyOf('demo')));
  client.register('eip155:8453', scheme as unknown as Parameters<x402AxiosClient['register']>[1]);
  const { status } = await wrapAxiosWithPayment(axios.create(), client).post(`${started.url}/v1/quote`, quoteInput());
  expect(status).toBe(200);
  expect((await payToBalance('eip155:8453')) - before).toBe(price);
});
