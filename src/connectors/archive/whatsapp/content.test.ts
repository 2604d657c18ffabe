import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { contentOf } from './content.ts';

const MARK = '\u200e';

describe('content of WhatsApp messages', () => {
  test('plain text is unchanged', () => {
    assert.deepEqual(contentOf('hello\nthere'), {
      text: 'hello\nthere',
      contentType: 'text',
      isEdited: false,
      isDeleted: false,
      isMarked: false,
    });
  });

  for (const [text, type, name, caption] of [
    [
      `${MARK}<attached: 00000042-PHOTO-2024-06-13-15-04-05.jpg>`,
      'image',
      '00000042-PHOTO-2024-06-13-15-04-05.jpg',
      '',
    ],
    [`look\n${MARK}<Anhang: 00000043-VIDEO-2024.mp4>`, 'video', '00000043-VIDEO-2024.mp4', 'look'],
    [`${MARK}<pièce jointe : 00000044-AUDIO-2024.opus>`, 'audio', '00000044-AUDIO-2024.opus', ''],
    [`${MARK}<adjunto: 00000045-STICKER-2024.webp>`, 'sticker', '00000045-STICKER-2024.webp', ''],
    ['IMG-20240613-WA0001.jpg (file attached)', 'image', 'IMG-20240613-WA0001.jpg', ''],
    [`${MARK}IMG-20240613-WA0001.jpg (Datei angehängt)\nSonne!`, 'image', 'IMG-20240613-WA0001.jpg', 'Sonne!'],
    ['PTT-20240613-WA0002.opus (archivo adjunto)', 'audio', 'PTT-20240613-WA0002.opus', ''],
    ['VID-20240613-WA0003.mp4 (файл добавлен)', 'video', 'VID-20240613-WA0003.mp4', ''],
    ['STK-20240613-WA0004.webp (xyzzy)', 'sticker', 'STK-20240613-WA0004.webp', ''],
    ['Report 2024.pdf (file attached)', 'file', 'Report 2024.pdf', ''],
    ['Bob.vcf (file attached)', 'contact', 'Bob.vcf', ''],
    ['<Media omitted>', 'unknown', undefined, ''],
    ['<Medien ausgeschlossen>\nSonne!', 'unknown', undefined, 'Sonne!'],
    ['<Multimedia omitido>', 'unknown', undefined, ''],
    ['<Без медиафайлов>', 'unknown', undefined, ''],
    ['<मीडिया छोड़ा गया>', 'unknown', undefined, ''],
    ['<省略多媒體檔案>', 'unknown', undefined, ''],
    [`${MARK}image omitted`, 'image', undefined, ''],
    [`${MARK}Bild weggelassen`, 'image', undefined, ''],
    [`${MARK}video omitted`, 'video', undefined, ''],
    [`${MARK}GIF omitted`, 'video', undefined, ''],
    [`${MARK}audio omitted`, 'audio', undefined, ''],
    [`${MARK}sticker omitted`, 'sticker', undefined, ''],
    [`${MARK}Contact card omitted`, 'contact', undefined, ''],
    [`look ${MARK}image omitted`, 'image', undefined, 'look'],
    [`report.pdf • ${MARK}3 pages ${MARK}document omitted`, 'file', 'report.pdf', ''],
  ] as const) {
    test(`a file: ${text}`, () => {
      const content = contentOf(text);

      assert.equal(content.contentType, type);
      assert.deepEqual(content.attachment, { type, ...(name === undefined ? {} : { name }) });
      assert.equal(content.text, caption);
    });
  }

  for (const text of [
    'This message was deleted',
    'This message was deleted.',
    `${MARK}You deleted this message.`,
    'Diese Nachricht wurde gelöscht.',
    'Se eliminó este mensaje.',
    'تم حذف هذه الرسالة',
    '此訊息已刪除',
    'This message was deleted by admin',
    'This message was deleted by admin Bob Li.',
    `${MARK}This message was deleted by admin ~\u202fBob.`,
    `This message was deleted by admin \u2068+358 40 1234567\u2069.`,
    `${MARK}You deleted this message as admin.`,
    'Diese Nachricht wurde von Admin Bob gelöscht.',
    'Este mensaje fue eliminado por el admin. Bob',
    'Ce message a été supprimé par l’administrateur Bob.',
    'Questo messaggio è stato eliminato dall’amministratore',
    'Essa mensagem foi apagada pelo admin Bob.',
    'Dit bericht is verwijderd door beheerder Bob',
    'Ylläpitäjä Bob poisti tämän viestin',
    'Meddelandet raderades av admin Bob',
    'Данное сообщение удалено админом Bob',
    'Bu mesaj yönetici Bob tarafından silindi',
    'Pesan ini dihapus oleh admin Bob',
    'Ta wiadomość została usunięta przez admina Bob',
    'यह मैसेज एडमिन Bob ने हटा दिया',
    'تم حذف هذه الرسالة من قبل المشرف',
    '이 메시지는 관리자 Bob님이 삭제했습니다',
    'このメッセージは管理者Bobによって削除されました',
    '此訊息已被管理員Bob刪除',
    'این پیام توسط مدیر حذف شد',
  ]) {
    test(`deleted: ${text}`, () => {
      const { isDeleted, text: rest } = contentOf(text);

      assert.deepEqual([isDeleted, rest], [true, '']);
    });
  }

  test('a sentence about deleted messages that goes on is text', () => {
    for (const text of [
      'This message was deleted by admin because it was rude',
      'This message was deleted by admin\nwhy?',
      'I think this message was deleted by admin',
    ]) {
      assert.equal(contentOf(text).isDeleted, false, text);
    }
  });

  test('an edited message has a mark after its text', () => {
    for (const mark of [
      `${MARK}<This message was edited>`,
      '<Diese Nachricht wurde bearbeitet.>',
      `${MARK}<Mensagem editada>`,
    ]) {
      const { text, isEdited } = contentOf(`so it is ${mark}`);

      assert.deepEqual([text, isEdited], ['so it is', true]);
    }
  });

  test('mentions lose their marks, and a location has its own type', () => {
    assert.equal(contentOf('hi @\u2068Bob Li\u2069!').text, 'hi @Bob Li!');
    assert.equal(contentOf('Location: https://maps.google.com/?q=60.1,24.9').contentType, 'location');
  });

  test('angle brackets and parentheses written by users are text', () => {
    for (const text of [
      '<3',
      '<sarcasm>',
      'I <love> it <so much>',
      'example.com (great)',
      'the image omitted details',
    ]) {
      assert.deepEqual([contentOf(text).text, contentOf(text).contentType], [text, 'text']);
    }
  });

  test('any text is parsed without an error, and plain text is of type text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        assert.doesNotThrow(() => contentOf(text));
        assert.equal(contentOf(`word ${text.replaceAll(/[<>()\u200e\u2068\u2069]/g, '')} word`).contentType, 'text');
      }),
    );
  });
});
