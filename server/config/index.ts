export { ConfigError } from './configError.ts';
export type { CommonConfig, Config, LiveConfig } from './configTypes.ts';
export { envExample } from './envExample.ts';
export { readConfig } from './readConfig.ts';
export { readDatabaseUrl } from './readDatabaseUrl.ts';
export { variables } from './variables.ts';
