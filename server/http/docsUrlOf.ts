/** The documentation URL in error bodies. */
export const docsUrlOf = ({ baseUrl }: { baseUrl: string }): string => `${baseUrl}/docs/`;
