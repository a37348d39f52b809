import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload } from '@x402/core/types';
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  http,
} from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import { createNonceManager, jsonRpc } from 'viem/nonce';
import { type SandboxChain, type SandboxChainName, type SandboxOptions, startSandbox } from '../../sandbox/index.ts';
import {
  createPaymentService,
  type PaymentAttempt,
  type PaymentConfig,
  type PaymentDecision,
  type PaymentLedger,
  type PaymentService,
} from '../../server/payments/index.ts';
import { nativePricing } from '../../server/payments/networkConfigs.ts';
import { openStores } from '../../server/storage/index.ts';
import { findWallet } from '../support/findWallet.ts';
import { type AuthorizationChanges, signAltered, signPayment } from './signPayment.ts';
import { createThirdParty } from './thirdParty.ts';
import { mined, receiptOf, untilPending } from './waitForChain.ts';
import { burnsAllGas } from './walletCodes.ts';

export const price = 20_000n;
export const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

export interface OpenOptions {
  /** Database file; default: a new one. */
  file?: string;
  /** PostgreSQL URL, instead of a file. */
  url?: string;
  /** Default: the chain's own URL. */
  rpcUrl?: string;
  change?: (config: PaymentConfig) => PaymentConfig;
}

type Wallet = { address: Address; privateKey: Hex };

/** A sandbox chain and the wallets of a payment service on it. */
interface PaymentChain {
  name: SandboxChainName;
  chain: SandboxChain;
  payTo: Address;
  facilitator: Wallet;
  /** The path of a new database file. */
  newLedgerFile(): string;
}

function paymentConfigOf({ name, chain, payTo, facilitator }: PaymentChain, ledger: PaymentLedger, rpcUrl: string) {
  return {
    networks: [
      {
        network: `eip155:${chain.chainId}` as const,
        chainId: chain.chainId,
        rpcUrls: [rpcUrl],
        facilitatorKey: facilitator.privateKey,
        payTo,
        asset: chain.usdc,
        pricing: nativePricing(name),
        domain: { name: 'USD Coin', version: '2' },
      },
    ],
    offers: [
      {
        paid: 'quote',
        priceUsd: '0.02',
        resource: { url: 'http://localhost/v1/quote', description: 'A quote', mimeType: 'application/json' },
      },
    ],
    ledger,
    now: Date.now,
    logger: silent,
    timings: { receiptPollMs: 50 },
  } satisfies PaymentConfig;
}

/** A payment service with its own ledger; `close` ends both. */
async function openPaymentService(setup: PaymentChain, options: OpenOptions = {}) {
  const location = options.url === undefined ? { file: options.file ?? setup.newLedgerFile() } : { url: options.url };
  const stores = await openStores(location, Date.now);
  const { ledger } = stores;
  const config = paymentConfigOf(setup, ledger, options.rpcUrl ?? setup.chain.rpcUrl);
  const paymentService = await createPaymentService(options.change?.(config) ?? config).catch(async (cause) => {
    await stores.close();
    throw cause;
  });
  return {
    paymentService,
    ledger,
    /** Ends the pauses of all wallets. */
    endPauses: () => stores.database.write((sql) => sql.updateTable('payers').set({ paused_until: 0 }).execute()),
    close: async () => {
      await paymentService.close();
      await stores.close();
    },
  };
}

/** A wallet client with USDC that sends the tests' own transactions. */
function createFunder({ rpcUrl, chainId }: SandboxChain, { privateKey }: Wallet) {
  return createWalletClient({
    // A nonce manager of its own, because each fixture starts a new chain with the same chain id.
    account: privateKeyToAccount(privateKey, { nonceManager: createNonceManager({ source: jsonRpc() }) }),
    transport: http(rpcUrl),
    chain: { ...base, id: chainId },
  });
}

/**
 * One sandbox chain with its USDC balances, and payment services on it.
 * @param blockMs milliseconds between blocks; absent: each transaction is mined at once
 */
export async function openPaymentFixture(name: SandboxChainName = 'base', blockMs?: SandboxOptions['blockMs']) {
  const sandbox = await startSandbox({ chains: [name], mainnetUsdc: true, ...(blockMs && { blockMs }) });
  const chain = sandbox.chains[name] as SandboxChain;
  const folder = await mkdtemp(join(tmpdir(), 'truefill-ledger-'));
  const client = createPublicClient({ transport: http(chain.rpcUrl), pollingInterval: 50 });
  const walletOf = (role: string) => findWallet(sandbox.wallets, role);
  const payTo = walletOf('payTo').address;
  const newLedgerFile = (): string => join(folder, `${randomBytes(6).toString('hex')}.db`);
  const setup = { name, chain, payTo, facilitator: walletOf('facilitator'), newLedgerFile };
  const funder = createFunder(chain, walletOf('demo'));
  const { sendByThirdParty, sendCancel } = createThirdParty(funder, chain);

  async function give(to: Address, units: bigint): Promise<void> {
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, units] });
    await mined(client, await funder.sendTransaction({ to: chain.usdc, data, gas: 150_000n }));
  }

  return {
    give,
    sendByThirdParty,
    sendCancel,
    settleByThirdParty: async (payload: PaymentPayload) => mined(client, await sendByThirdParty(payload)),
    cancel: async (payer: PrivateKeyAccount, payload: PaymentPayload) =>
      mined(client, await sendCancel(payer, payload)),
    /** Resolves when `count` transactions are pending. */
    untilPending: (count: number) => untilPending(client, count),
    /** A raw request to the local chain, to control mining and code. */
    rpc: <T>(method: string, params: unknown[] = []): Promise<T> =>
      client.request({ method, params } as never) as Promise<T>,
    mining: sandbox.mining[name],
    chain,
    client,
    payTo,
    walletOf,
    paymentConfig: (ledger: PaymentLedger, rpcUrl: string): PaymentConfig => paymentConfigOf(setup, ledger, rpcUrl),
    newLedgerFile,
    openPaymentService: (options?: OpenOptions) => openPaymentService(setup, options),
    sign: signPayment,
    signAltered: (paymentService: PaymentService, account: PrivateKeyAccount, changes: AuthorizationChanges) =>
      signAltered(chain, paymentService, account, changes),
    /** A new wallet funded with `units` of USDC by a real transfer. */
    async newPayer(units: bigint): Promise<PrivateKeyAccount> {
      const account = privateKeyToAccount(generatePrivateKey());
      if (units > 0n) await give(account.address, units);
      return account;
    },
    /** Delegates the wallet to code that burns all gas (EIP-7702). Returns the gas of that transaction. */
    async delegateToBurner(payer: PrivateKeyAccount): Promise<bigint> {
      const code = `0x${'cd'.repeat(20)}` as const;
      await client.request({ method: 'anvil_setCode', params: [code, burnsAllGas] } as never);
      const authorization = await payer.signAuthorization({ address: code, chainId: chain.chainId, nonce: 0 });
      const hash = await funder.sendTransaction({ to: funder.account.address, authorizationList: [authorization] });
      return (await receiptOf(client, hash)).gasUsed;
    },
    usdcOf: (address: Address): Promise<bigint> =>
      client.readContract({ address: chain.usdc, abi: erc20Abi, functionName: 'balanceOf', args: [address] }),
    async close() {
      await sandbox.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type PaymentFixture = Awaited<ReturnType<typeof openPaymentFixture>>;

/** A request for a quote of `input`, paid with `payload`. */
export function attemptOf(payload: PaymentPayload, input = '{"size":"1"}'): PaymentAttempt {
  return {
    paid: 'quote',
    route: 'POST /v1/quote',
    canonicalInput: input,
    queryKey: input,
    paymentHeader: encodePaymentSignatureHeader(payload),
  };
}

/** @throws {Error} with the decision, if it does not serve */
export function assertServed(decision: PaymentDecision): Extract<PaymentDecision, { kind: 'serve' }> {
  if (decision.kind !== 'serve') throw new Error(`Not served: ${JSON.stringify(decision)}`);
  return decision;
}

/** Adds a free first call to each offer. */
export const withTrial = (config: PaymentConfig): PaymentConfig => ({
  ...config,
  offers: config.offers.map((offer) => ({ ...offer, trialGroup: 'pretrade' })),
});

/** A test's answer; its body contains the input. */
export const answerTo = (input: string) => ({
  status: 200,
  contentType: 'application/json',
  body: JSON.stringify({ answered: input }),
});
