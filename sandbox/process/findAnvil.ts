import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** No installed package contains anvil for this platform. */
export class AnvilMissingError extends Error {
  override readonly name = 'AnvilMissingError';
}

const architectures: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Path of the anvil binary in its platform package, because the wrapper package would need an install script.
 * @throws {AnvilMissingError} with the name of the package to install
 */
export function findAnvil(platform: string = process.platform, architecture: string = process.arch): string {
  const name = `@foundry-rs/anvil-${platform}-${architectures[architecture] ?? architecture}`;
  const require = createRequire(createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json'));
  try {
    const folder = dirname(require.resolve(`${name}/package.json`));
    return join(folder, 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw cause;
    throw new AnvilMissingError(
      `The sandbox needs anvil, but ${name} is not installed. Run npm install with optional dependencies.`,
      { cause },
    );
  }
}
