/** The environment is not a valid configuration. The message lists every fault at once and contains no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(readonly faults: readonly string[]) {
    super(`truefill cannot start with this configuration:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
  }
}
