export { ConfigError } from './configError.ts';
export type { Config, LiveConfig } from './configTypes.ts';
export { readConfig } from './readConfig.ts';
