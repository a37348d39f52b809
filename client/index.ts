export { createTruefillClient, type TruefillClientOptions } from './createTruefillClient.ts';
