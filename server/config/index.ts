export { ConfigError } from './configError.ts';
export type { CommonConfig, Config, LiveConfig, SandboxConfig } from './configTypes.ts';
export { type Environment, readConfig } from './readConfig.ts';
