import { headerText } from './email-encoding.ts';

export interface Person {
  name: string;
  address: string;
}

const PROGRAMS = [
  'Thunderbird 140.2',
  'Apple Mail (2.3826.400.131)',
  'Mutt/2.2.13',
  'Outlook 16.0',
  'Roundcube Webmail/1.6',
];
const NEWSLETTER_SHARE = 0.2;

/** The headers up to those of the content, as a receiving server leaves them. */
export function mailHeaders(email: {
  random: () => number;
  owner: Person;
  from: Person;
  /** Further recipients. */
  others: readonly Person[];
  at: number;
  subject: string;
  messageId: string;
  /** Of the emails before it, oldest first. */
  references: readonly string[];
}): string {
  const { random, owner, from, others, at, references } = email;
  const host = from.address.split('@')[1] ?? 'localhost';
  const parent = references.at(-1);
  const token = () => Math.floor(random() * 2 ** 40).toString(36);
  const lines = [
    `Return-Path: <${from.address}>`,
    `Delivered-To: ${owner.address}`,
    `Received: from mx1.example.test ([10.0.0.${Math.floor(random() * 250)}])\n\tby store.example.test with LMTP id ${token()}${token()}\n\t(envelope-from <${from.address}>)\n\tfor <${owner.address}>; ${dateOf(at)}`,
    `Received: from ${host} (${host} [192.0.2.${Math.floor(random() * 250)}])\n\t(using TLSv1.3 with cipher TLS_AES_256_GCM_SHA384 (256/256 bits)\n\t key-exchange X25519 server-signature RSA-PSS (2048 bits))\n\t(No client certificate requested)\n\tby mx1.example.test (Postfix) with ESMTPS id ${token()}\n\tfor <${owner.address}>; ${dateOf(at - 1_000)}`,
    `Authentication-Results: mx1.example.test;\n\tdkim=pass (2048-bit key) header.d=${host} header.i=@${host} header.s=s1;\n\tspf=pass smtp.mailfrom=${from.address};\n\tdmarc=pass (policy=none) header.from=${host}`,
    `DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=${host}; s=s1;\n\th=from:to:cc:subject:date:message-id:mime-version:content-type;\n\tbh=${token()}${token()}${token()}=;\n\tb=${Array.from({ length: 5 }, () => `${token()}${token()}${token()}${token()}`).join('\n\t ')}==`,
    `From: ${mailbox(from)}`,
    `To: ${[owner, ...others.slice(0, 3)].map(mailbox).join(',\n\t')}`,
    ...(others.length > 3 ? [`Cc: ${others.slice(3).map(mailbox).join(',\n\t')}`] : []),
    `Subject: ${headerText(email.subject)}`,
    `Date: ${dateOf(at - 2_000)}`,
    `Message-ID: ${email.messageId}`,
    ...(parent ? [`In-Reply-To: ${parent}`, `References: ${references.join('\n\t')}`] : []),
    ...(parent === undefined && random() < NEWSLETTER_SHARE ? newsletter(host) : []),
    `User-Agent: ${PROGRAMS[Math.floor(random() * PROGRAMS.length)]}`,
    'MIME-Version: 1.0',
  ];
  return `${lines.join('\n')}\n`;
}

function newsletter(host: string): string[] {
  return [
    `List-Id: News of ${host} <news.${host}>`,
    `List-Unsubscribe: <https://${host}/unsubscribe?u=1>, <mailto:leave@${host}>`,
    'Precedence: bulk',
  ];
}

function mailbox({ name, address }: Person): string {
  return `${headerText(name)} <${address}>`;
}

/** As in RFC 5322: `Sun, 01 Nov 2026 12:00:00 +0000`. */
function dateOf(at: number): string {
  return new Date(at).toUTCString().replace('GMT', '+0000');
}
