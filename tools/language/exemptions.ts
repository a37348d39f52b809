/** Files that are not prose: generated code, recorded figures, the list of retired words itself. */
export const skipped =
  /^(package-lock\.json|contracts\/artifacts\/|bench\/|CHANGELOG\.md$|tools\/language\/)|\.(png|ico|woff2|sqlite|tgz|gz)$/;

/** Words with a technical sense in one file: the Unix user `nobody`, Biome's group of rules `nursery`. One test forbids words in messages. */
export const technicalSenses: Record<string, readonly string[]> = {
  'biome.json': ['nursery'],
  'sandbox/postgres/supervisor.mjs': ['nobody'],
  'sandbox/postgres/startPostgres.ts': ['nobody'],
  'tests/client/mistakes.test.ts': ['whoever', 'nobody', 'told'],
};
