/** Files that are not prose: generated code, recorded figures, the list of retired words itself. */
export const skipped =
  /^(package-lock\.json|contracts\/artifacts\/|bench\/|CHANGELOG\.md$|tools\/language\/)|\.(png|ico|woff2|sqlite|tgz|gz)$/;

/** Words with a technical sense in one file. `nobody` is the Unix user; one test forbids the words in messages. */
export const technicalSenses: Record<string, readonly string[]> = {
  'sandbox/postgres/supervisor.mjs': ['nobody'],
  'sandbox/postgres/startPostgres.ts': ['nobody'],
  'tests/client/mistakes.test.ts': ['whoever', 'nobody', 'told'],
};
