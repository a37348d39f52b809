/** A program that buys a quote and a check with the client. */
export const use = `
import { AnswerPendingError, createTruefillClient, type Quote } from 'truefill-client';
import { createWalletClient, custom } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';

const [url = '', key] = process.argv.slice(2);
const wallet = privateKeyToAccount(key as \`0x\${string}\`);
const browser = createWalletClient({ account: wallet.address, transport: custom({ request: async () => null }) });
const truefill = createTruefillClient({ url, wallet: [wallet], spendLimit: { totalUsd: 0.1 }, allowSandbox: true });
createTruefillClient({ url, wallet: browser });
try {
  const tokenIn = '0x4200000000000000000000000000000000000006';
  const quote: Quote = await truefill.quote({ tokenIn, tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', sizeIn: '1' });
  const check = await truefill.pretradeCheck({ token: tokenIn });
  const verdict: 'avoid' | 'clear' | 'unknown' = check.verdict;
  const sold: \`0x\${string}\` = quote.tokenIn;
  if (sold !== tokenIn) throw new Error(sold);
  console.log(JSON.stringify([BigInt(quote.amountOut) > 0n, quote.route.legs[0]?.feePips, verdict, truefill.spentUsd]));
} catch (error) {
  if (error instanceof AnswerPendingError) console.log(error.pending.paymentSignature);
  throw error;
}
`;

/** A program that buys a quote over tRPC, or resumes a stored payment. */
export const useTrpc = `
import { createTRPCClient, TRPCClientError } from '@trpc/client';
import { AnswerPendingError, type ErrorCode } from 'truefill-client';
import { type AppRouter, paymentLink } from 'truefill-client/trpc';
import { privateKeyToAccount } from 'viem/accounts';

const [url = '', key, stored] = process.argv.slice(2);
const wallet = privateKeyToAccount(key as \`0x\${string}\`);
const quickRetry = { attempts: 2, longestWaitMs: 100 };
const trpc = createTRPCClient<AppRouter>({ links: [paymentLink({ url, wallet, allowSandbox: true, retry: quickRetry })] });
const request = {
  tokenIn: '0x4200000000000000000000000000000000000006',
  tokenOut: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913',
  sizeIn: '1.75',
} as const;
try {
  const context = stored === undefined ? {} : { pending: JSON.parse(stored) };
  const quote = await trpc.quote.mutate(request, { context });
  const amountOut: string = quote.amountOut;
  console.log(JSON.stringify({ amountOut, confidence: quote.confidence }));
} catch (error) {
  if (!(error instanceof TRPCClientError)) throw error;
  const { data }: TRPCClientError<AppRouter> = error;
  const code: ErrorCode | undefined = data?.reason.code;
  if (!(error.cause instanceof AnswerPendingError)) throw new Error(code, { cause: error });
  console.log(JSON.stringify({ pending: error.cause.pending }));
}
`;
