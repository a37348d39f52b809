import type Libsql from 'libsql';

export type SqliteConnection = InstanceType<typeof Libsql>;
