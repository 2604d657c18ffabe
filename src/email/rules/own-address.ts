/** Whether an address is one of the user's own. `*@example.org` is every address of a domain. */
export function isOwnAddress(own: readonly string[], address: string): boolean {
  const wanted = address.trim().toLowerCase();
  const domain = wanted.slice(wanted.lastIndexOf('@'));
  return own.some((each) => {
    const known = each.toLowerCase();
    return known === wanted || (known.startsWith('*@') && known.slice(1) === domain);
  });
}
