/**
 * npm run demo [-- --url http://127.0.0.1:4020]; TRUEFILL_URL or PORT change the default
 *
 * Buys one quote on each chain with the sandbox's demo wallet, shows it with its receipt, then executes the
 * quoted route as a real transaction on the local chain and shows the difference in wei. Exits 1 when there is one.
 * The last two quotes are a split order, and one that is paid for on Solana.
 */
import { parseArgs } from 'node:util';
import type { x402Client } from '@x402/fetch';
import { executeRoute, type SandboxChain, toExecutableLegs } from '../../sandbox/index.ts';
import { type BoughtQuote, buyQuote, evmPayer, type Receipt, solanaPayer } from './buyQuote.ts';
import { connectService, type SandboxDescription } from './connectService.ts';

// A service that `npm start` started with the same variables.
const defaultUrl = process.env.TRUEFILL_URL || `http://127.0.0.1:${process.env.PORT || 4020}`;
const { values } = parseArgs({ options: { url: { type: 'string', default: defaultUrl } } });

function decimal(units: string, decimals: number): string {
  const digits = units.padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = decimals === 0 ? '' : digits.slice(-decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

function symbolOf(chain: SandboxChain, address: string): string {
  return chain.tokens.find((token) => token.address.toLowerCase() === address.toLowerCase())?.symbol ?? address;
}

function walletOf<Wallet extends { role: string }>({ wallets }: { wallets: Wallet[] }, role: string): Wallet {
  const wallet = wallets.find((entry) => entry.role === role);
  if (!wallet) throw new Error(`The sandbox names no ${role} wallet.`);
  return wallet;
}

function printQuote(chain: SandboxChain, quote: BoughtQuote, receipt: Receipt): void {
  const [first, ...others] = quote.route.legs;
  if (!first) throw new Error('No route for a pair that the sandbox seeds.');
  const last = others.at(-1) ?? first;
  const sold = `${decimal(quote.amountIn, quote.decimals.in)} ${symbolOf(chain, first.tokenIn)}`;
  const bought = `${decimal(quote.amountOut, quote.decimals.out)} ${symbolOf(chain, last.tokenOut)}`;
  console.log(`  sell      ${sold}`);
  console.log(`  receive   ${bought}`);
  console.log(
    `  price     ${figure(quote.executablePrice)} (spot ${figure(quote.spotPrice)}, impact ${figure(quote.priceImpactBps, ' bps')})`,
  );
  console.log(`  worst     ${figure(quote.worstCaseSlippageBps, ' bps')} if an identical order executes first`);
  console.log(
    `  depth     ${figure(quote.depthAtSize)} ${symbolOf(chain, first.tokenIn)} before the price falls another 1 %`,
  );
  for (const leg of quote.route.legs) {
    const pair = `${symbolOf(chain, leg.tokenIn)} → ${symbolOf(chain, leg.tokenOut)}`;
    const share = leg.shareBps === 10_000 ? '' : `${leg.shareBps / 100} % of `;
    console.log(`  leg       ${share}${pair} on ${leg.venue} (fee ${leg.feePips / 10_000} %) ${leg.pool}`);
  }
  console.log(`  block     ${quote.blockNumber}, confidence ${quote.confidence}, ${quote.venuesConsidered} venues`);
  for (const flag of quote.flags) console.log(`  flag      ${flag.severity} ${flag.code}: ${flag.message}`);
  console.log(`  receipt   ${receipt.network} ${receipt.transaction}, paid by ${receipt.payer}`);
}

/** @returns what the execution paid over the quote, in wei */
async function demoQuote(
  url: string,
  sandbox: SandboxDescription,
  chain: SandboxChain,
  payer: x402Client,
  sizeIn: string,
): Promise<bigint> {
  const request = { chain: chain.name, tokenIn: chain.wrappedNative, tokenOut: chain.usdc, sizeIn };
  const { quote, receipt } = await buyQuote(url, payer, request);
  printQuote(chain, quote, receipt);

  const executed = await executeRoute(chain, {
    legs: toExecutableLegs(quote.route.legs),
    amountIn: BigInt(quote.amountIn),
    wallet: walletOf(sandbox, 'trader'),
  });
  const difference = executed.received - BigInt(quote.amountOut);
  console.log(`  executed  ${executed.transactionHash}: received ${executed.received}, difference ${difference} wei`);
  return difference;
}

const service = await connectService(values.url);
try {
  console.log(`Buying from ${service.url}`);
  const { sandbox } = service;
  const chains = Object.values(sandbox.chains);
  const differences: bigint[] = [];
  for (const chain of chains) {
    console.log(`\n${chain.name} (chain id ${chain.chainId})`);
    const payer = evmPayer(`eip155:${chain.chainId}`, walletOf(sandbox, 'demo'));
    differences.push(await demoQuote(service.url, sandbox, chain, payer, '2.5'));
  }
  const [first] = chains;
  if (first) {
    // Another size each time: the same request would get the same answer, from before our own trade.
    console.log(`\n${first.name}, an order that pays more when it is split`);
    const evm = evmPayer(`eip155:${first.chainId}`, walletOf(sandbox, 'demo'));
    differences.push(await demoQuote(service.url, sandbox, first, evm, '20'));
    console.log(`\n${first.name}, paid for on Solana`);
    const solana = await solanaPayer(sandbox.solana, walletOf(sandbox.solana, 'demo'));
    differences.push(await demoQuote(service.url, sandbox, first, solana, '1.5'));
  }
  const wrong = differences.filter((difference) => difference !== 0n).length;
  console.log(wrong === 0 ? '\nEvery quote was paid to the wei.' : `\n${wrong} quotes were not paid to the wei.`);
  process.exitCode = wrong === 0 ? 0 : 1;
} finally {
  await service.close();
}

/** A number rounded for reading; the JSON answer is exact. */
function figure(value: number | null, unit = ''): string {
  if (value === null) return 'not measured';
  const rounding = Math.abs(value) >= 1 ? { maximumFractionDigits: 4 } : { maximumSignificantDigits: 6 };
  return `${value.toLocaleString('en-US', rounding)}${unit}`;
}
