import { fileIn } from './read-archive.ts';
import { zipOf } from './zip.ts';

/** Writes small exports of each kind, as their programs write them, into a folder. Returns their paths. */
export function exportSamples(folder: string): { slack: string; discord: string; irc: string; mbox: string } {
  return {
    slack: fileIn(folder, 'Slack export.zip', zipOf(slackFiles())),
    discord: discordFolder(folder),
    irc: ircFolder(folder),
    mbox: fileIn(folder, 'All mail.mbox', MAIL),
  };
}

function slackFiles(): { name: string; content: string }[] {
  const files: Record<string, unknown> = {
    'users.json': [
      { id: 'U1', name: 'ada', profile: { display_name: 'Ada' } },
      { id: 'U2', name: 'bob', profile: { real_name: 'Bob' } },
    ],
    'channels.json': [{ id: 'C1', name: 'général', members: ['U1', 'U2'] }],
    'dms.json': [{ id: 'D1', members: ['U1', 'U2'] }],
    'général/2024-06-13.json': [
      {
        type: 'message',
        subtype: 'channel_join',
        user: 'U1',
        ts: '1718275500.000001',
        text: '<@U1> has joined the channel',
      },
      {
        type: 'message',
        user: 'U1',
        ts: '1718275523.000005',
        thread_ts: '1718275523.000005',
        text: 'Lunch at <https://pizza.example.test|the pizzeria>, <@U2>?',
        reactions: [{ name: 'pizza', users: ['U2'], count: 1 }],
      },
      {
        type: 'message',
        subtype: 'tombstone',
        user: 'USLACKBOT',
        ts: '1718275530.000001',
        text: 'This message was deleted.',
      },
    ],
    'général/2024-06-14.json': [
      {
        type: 'message',
        user: 'U2',
        ts: '1718361923.000100',
        thread_ts: '1718275523.000005',
        text: 'Yes &amp; gladly',
      },
    ],
    'D1/2024-06-13.json': [
      {
        type: 'message',
        user: 'U2',
        ts: '1718275600.000001',
        text: 'psst',
        files: [{ name: 'a.png', mimetype: 'image/png' }],
      },
    ],
  };
  return Object.entries(files).map(([name, value]) => ({ name, content: JSON.stringify(value) }));
}

function discordFolder(folder: string): string {
  const message = (id: string, content: string, more: object = {}) => ({
    id,
    type: 'Default',
    timestamp: '2016-04-30T11:18:25.796+00:00',
    timestampEdited: null,
    content,
    author: { id: '80351110224678912', name: 'ada', nickname: 'Ada' },
    attachments: [],
    embeds: [],
    reactions: [],
    ...more,
  });
  const file = (messages: object[]) =>
    JSON.stringify({
      guild: { id: '1', name: 'Guild' },
      channel: { id: '77', type: 'GuildTextChat', category: 'Text', name: 'general' },
      messages,
      messageCount: messages.length,
    });
  const reply = { type: 'Reply', reference: { messageId: '175928847299117063', channelId: '77' } };
  fileIn(folder, 'discord/general [part 2].json', file([message('175928847299118000', 'part two', reply)]));
  fileIn(folder, 'discord/general.json', file([message('175928847299117063', 'part one')]));
  return `${folder}/discord`;
}

function ircFolder(folder: string): string {
  const log = ['[23:58:00] *** Joins: ada (~a@host.test)', '[23:59:00] <ada> good night', '[23:59:01] * ada yawns'];
  fileIn(folder, 'irc/libera/#chat/2024-06-13.log', log.join('\n'));
  fileIn(folder, 'irc/libera/#chat/2024-06-14.log', '[08:00:00] <bob> good morning\n[08:00:00] <bob> good morning\n');
  return `${folder}/irc`;
}

const MAIL = `From ada@example.test Thu Jun 13 12:34:56 2024
From: Ada <ada@example.test>
Date: Thu, 13 Jun 2024 14:34:56 +0200
Subject: Plan
Message-ID: <1@example.test>

We meet at noon.
>From there we walk.

From bob@example.test Thu Jun 13 13:00:00 2024
From: Bob <bob@example.test>
Date: Thu, 13 Jun 2024 13:00:00 +0000
Subject: Re: Plan
Message-ID: <2@example.test>
In-Reply-To: <1@example.test>
Content-Type: text/html

<p>Fine, <b>noon</b>.</p>

From bob@example.test Thu Jun 13 13:00:01 2024
Subject: broken
Date: never
Message-ID: <3@example.test>

This one has the date of the line before it.
`;
