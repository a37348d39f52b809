import type { PaymentRequired } from '@x402/core/types';
import { SandboxError } from '../errors.ts';

/**
 * The EIP-712 name of USDC in a sandbox. The signature covers this name, so a payment to a sandbox is invalid on mainnet
 * even if a service lies about its mode.
 */
const sandboxUsdcName = 'USD Coin (truefill sandbox)';

/** Whether to pay a sandbox. `only` rejects every other service; use it for wallets with a public key. */
export type AllowSandbox = boolean | 'only';

/** @throws {SandboxError} */
export function assertSandboxAllowed({ accepts }: PaymentRequired, allowed: AllowSandbox, url: string): void {
  const evm = accepts.filter(({ network }) => network.startsWith('eip155:'));
  const sandbox = evm.filter(({ extra }) => extra?.name === sandboxUsdcName);
  if (sandbox.length > 0 && !allowed)
    throw new SandboxError(
      `${url} is a truefill sandbox: it quotes local chains and accepts test USDC. Nothing was signed. To use it, pass allowSandbox: true with a test wallet (command line: --sandbox).`,
    );
  if (allowed === 'only' && (sandbox.length === 0 || sandbox.length < evm.length))
    throw new SandboxError(
      `${url} is not a truefill sandbox: it accepts real USDC. Nothing was signed. Pay with your own wallet.`,
    );
}
