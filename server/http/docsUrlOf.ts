/** Where errors send their readers. */
export const docsUrlOf = ({ baseUrl }: { baseUrl: string }): string => `${baseUrl}/docs/`;
