import type { ChaosEnvironment } from './chaosEnvironment.ts';
import type { EvmPayChain, PayChain } from './payments.ts';
import type { Random } from './random.ts';
import type { RetryPolicy } from './send.ts';
import type { ClientWallet, WalletPool } from './wallets.ts';

const checkPaths = ['/v1/pretrade/check', '/v1/token-safety', '/v1/rug-check'] as const;

/** The retries of clients that follow the service's instructions. */
export const retryPolicy: RetryPolicy = { tries: 12, attemptMs: 45_000 };

/** Builds random requests and chooses wallets and networks for them. */
export interface RequestPlan {
  /** Wallets with enough funds for many payments. */
  reusedWallets: readonly ClientWallet[];
  /** Takes an unused wallet from the pool; undefined if the pool is empty. */
  takeFreshWallet(random: Random): ClientWallet | undefined;
  returnWallet(wallet: ClientWallet): void;
  payChain(random: Random): PayChain;
  evmChain(random: Random): EvmPayChain;
  quoteBody(random: Random): { tokenIn: string; tokenOut: string } & ({ sizeIn: string } | { sizeUSD: string });
  checkBody(random: Random): { token: string; sizeUSD?: string };
  checkPath(random: Random): string;
  signQuote(random: Random, wallet?: ClientWallet): ReturnType<WalletPool['sign']>;
  signCheck(random: Random, wallet?: ClientWallet): ReturnType<WalletPool['sign']>;
  /** Signs a quote or a pretrade check. */
  signAny(random: Random, wallet?: ClientWallet): ReturnType<WalletPool['sign']>;
}

export function planRequests(
  { chains: { base }, sandbox }: ChaosEnvironment,
  { sign }: WalletPool,
  reusedWallets: readonly ClientWallet[],
  fresh: ClientWallet[],
): RequestPlan {
  const testTokens = sandbox.testTokens?.tokens ?? [];
  const liquidTokens = base.tokens.filter(({ symbol }) =>
    ['WETH', 'USDC', 'USDbC', 'DAI', 'cbETH', 'AERO'].includes(symbol),
  );
  const tokens = liquidTokens.length >= 2 ? liquidTokens : base.tokens.slice(0, 4);

  const requests: RequestPlan = {
    reusedWallets,
    takeFreshWallet: (random) => fresh.splice(random.between(0, Math.max(0, fresh.length - 1)), 1)[0],
    returnWallet: (wallet) => void fresh.push(wallet),
    payChain: (random) => random.pick<PayChain>(['base', 'base', 'polygon', 'solana', 'solana']),
    evmChain: (random) => random.pick<EvmPayChain>(['base', 'base', 'polygon']),
    quoteBody(random) {
      const tokenIn = random.pick(tokens);
      const tokenOut = random.pick(tokens.filter((token) => token !== tokenIn));
      const sized = random.chance(0.5)
        ? { sizeIn: `${random.between(1, 40) / 10}` }
        : { sizeUSD: `${random.between(5, 3_000)}` };
      return { tokenIn: tokenIn.address, tokenOut: tokenOut.address, ...sized };
    },
    checkBody(random) {
      const token =
        random.chance(0.8) && testTokens.length > 0 ? random.pick(testTokens).address : random.pick(tokens).address;
      return { token, ...(random.chance(0.3) && { sizeUSD: '1000' }) };
    },
    checkPath: (random) => random.pick(checkPaths),
    signQuote: (random, wallet = random.pick(reusedWallets)) =>
      sign(wallet, requests.payChain(random), '/v1/quote', requests.quoteBody(random)),
    signCheck: (random, wallet = random.pick(reusedWallets)) =>
      sign(wallet, requests.payChain(random), requests.checkPath(random), requests.checkBody(random)),
    signAny: (random, wallet) =>
      random.chance(0.5) ? requests.signQuote(random, wallet) : requests.signCheck(random, wallet),
  };
  return requests;
}
