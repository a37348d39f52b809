import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { SandboxError } from '../errors.ts';

/**
 * The EIP-712 name of USDC in a sandbox. The signature covers this name, so a payment to a sandbox is invalid on mainnet
 * even if a service reports the wrong mode.
 */
const sandboxUsdcName = 'USD Coin (truefill sandbox)';

/** Whether to pay a sandbox. `only` rejects every other payment; use it for a wallet whose private key is public. */
export type AllowSandbox = boolean | 'only';

/** Checks a service by its EVM options. @throws {SandboxError} */
export function assertSandboxAllowed({ accepts }: PaymentRequired, allowed: AllowSandbox, url: string): void {
  const evm = accepts.filter(({ network }) => network.startsWith('eip155:'));
  const sandbox = evm.filter(({ extra }) => extra.name === sandboxUsdcName);
  if (sandbox.length > 0 && !allowed)
    throw new SandboxError(
      `${url} is a truefill sandbox: it quotes local chains and accepts test USDC. Nothing was signed. To use it, pass allowSandbox: true with a test wallet (command line: --sandbox).`,
    );
  if (allowed === 'only' && (sandbox.length === 0 || sandbox.length < evm.length)) {
    const reason = evm.length === 0 ? 'it offers no payment in sandbox USDC' : 'it accepts USDC of a real chain';
    throw new SandboxError(
      `${url} is not a truefill sandbox: ${reason}. allowSandbox is 'only', so nothing was signed. To pay it, use your own wallet and set allowSandbox: false (command line: without --sandbox).`,
    );
  }
}

/**
 * With `only`, checks the payment that is about to be signed. A Solana payment cannot contain the sandbox's name; it is
 * invalid on mainnet because its blockhash is from the sandbox's node, not from the default one.
 * @throws {SandboxError}
 */
export function assertSandboxPayment(
  { network, extra }: PaymentRequirements,
  { allowSandbox, solanaRpcUrl, url }: { allowSandbox: AllowSandbox; solanaRpcUrl: string | undefined; url: string },
): void {
  if (allowSandbox !== 'only') return;
  // A blockhash of the offer could be one of mainnet.
  const isSandboxSolana = solanaRpcUrl !== undefined && extra.recentBlockhash === undefined;
  if (network.startsWith('solana:') ? isSandboxSolana : extra.name === sandboxUsdcName) return;
  throw new SandboxError(
    `The payment to ${url} on ${network} would be valid outside a sandbox. allowSandbox is 'only', so nothing was signed. On Solana, pass solanaRpcUrl of the sandbox (GET /sandbox shows it).`,
  );
}
