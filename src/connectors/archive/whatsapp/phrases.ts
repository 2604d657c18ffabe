import type { ContentType } from '../../../domain/chat.ts';
import { saysDeletedByAdmin } from './deleted-by-admin.ts';
import { plain } from './plain.ts';

/** WhatsApp's phrases for omitted content, in many languages. Compared without case and final periods. */
const DELETED = setOf(`
  This message was deleted|You deleted this message|Diese Nachricht wurde gelöscht|Du hast diese Nachricht gelöscht
  Se eliminó este mensaje|Eliminaste este mensaje|Este mensaje fue eliminado|Este mensaje ha sido eliminado
  Ce message a été supprimé|Vous avez supprimé ce message|Questo messaggio è stato eliminato|Hai eliminato questo messaggio
  Mensagem apagada|Esta mensagem foi apagada|Você apagou esta mensagem|Apagou esta mensagem|Dit bericht is verwijderd
  Dit bericht werd verwijderd|U hebt dit bericht verwijderd|Je hebt dit bericht verwijderd|Viesti poistettiin
  Tämä viesti poistettiin|Poistit tämän viestin|Meddelandet raderades|Du raderade meddelandet|Denne beskeden blev slettet
  Данное сообщение удалено|Сообщение удалено|Вы удалили данное сообщение|Вы удалили это сообщение|Bu mesaj silindi|Bu mesajı sildiniz
  Pesan ini telah dihapus|Pesan ini dihapus|Anda menghapus pesan ini|Ta wiadomość została usunięta|Wiadomość została usunięta
  यह मैसेज हटा दिया गया|यह संदेश हटा दिया गया|आपने यह मैसेज हटा दिया|تم حذف هذه الرسالة|حذفت هذه الرسالة|لقد حذفت هذه الرسالة
  이 메시지는 삭제되었습니다|삭제된 메시지입니다|このメッセージは削除されました|此訊息已刪除|此消息已删除|您刪除了這則訊息|您已刪除此訊息|这条消息已删除
  این پیام حذف شد|הודעה זו נמחקה|Это сообщение удалено|Ово је избрисана порука|Ez az üzenet törölve lett|Tato zpráva byla odstraněna
`);

const EDITED = setOf(`
  This message was edited|Diese Nachricht wurde bearbeitet|Se editó este mensaje|Ce message a été modifié
  Questo messaggio è stato modificato|Mensagem editada|Esta mensagem foi editada|Dit bericht is bewerkt|Tätä viestiä on muokattu
  Viestiä muokattiin|Meddelandet redigerades|Сообщение изменено|Данное сообщение изменено|Bu mesaj düzenlendi|Pesan ini diedit
  Wiadomość została edytowana|यह मैसेज एडिट किया गया|تم تعديل هذه الرسالة|이 메시지는 수정되었습니다|このメッセージは編集されました|此訊息已編輯|此消息已编辑
`);

const OMITTED = setOf(`
  Media omitted|Medien ausgeschlossen|Medien weggelassen|Multimedia omitido|Archivo omitido|Médias omis|Fichier omis|Media omessi
  Mídia oculta|Mídia omitida|Arquivo de mídia oculto|Ficheiro não revelado|Media weggelaten|Media jätettiin pois|Media utelämnat
  Media har utelämnats|Utelatt media|Medie udeladt|Без медиафайлов|Файл пропущен|Medya dahil edilmedi|Medya atlanmış
  Media tidak disertakan|Tidak ada media|pominięto multimedia|pominięto|Média kihagyva|Médium bylo vynecháno|मीडिया छोड़ा गया
  मीडिया के बिना|تم استبعاد الوسائط|الوسائط محذوفة|미디어 제외됨|미디어 파일을 생략한 대화내용|メディアは含まれていません|メディアなし
  省略多媒體檔案|省略多媒体文件|媒体文件已省略|پیوست نشده است|رسانه حذف شد|המדיה לא נכללה|ไม่รวมสื่อ|File phương tiện bị bỏ qua
`);

const THINGS: Partial<Record<ContentType, string>> = {
  image: `image|photo|bild|foto|imagen|immagine|imagem|afbeelding|kuva|изображение|görüntü|gambar|obraz|चित्र|صورة|이미지|画像
    圖片|图片`,
  video: 'video|vídeo|vidéo|видео|वीडियो|فيديو|동영상|ビデオ|動画|影片|视频|gif',
  audio: 'audio|áudio|ääni|аудио|ses|ऑडियो|ملف صوتي|오디오|音声|音訊|音频|voice message|sprachnachricht',
  sticker:
    'sticker|adesivo|figurinha|tarra|стикер|çıkartma|stiker|naklejka|स्टिकर|ملصق|스티커|ステッカー|スタンプ|貼圖|贴图',
  contact: `contact card|kontaktkarte|tarjeta de contacto|carte de contact|fiche contact|scheda contatto|cartão do contato
    contactkaart|yhteystietokortti|карточка контакта|kişi kartı|kartu kontak`,
  file: 'document|dokument|documento|asiakirja|документ|belge|dokumen|दस्तावेज़|مستند|문서|文書|文件|文档',
};

const LEFT_OUT = `
  omitted|weggelassen|ausgelassen|ausgeschlossen|omitido|omitida|omis|omise|absent|absente|omesso|omessa|ocultado|ocultada
  oculto|oculta|não revelado|não revelada|weggelaten|jätetty pois|jätettiin pois|utelämnad|utelämnat|udeladt|опущено|опущен
  пропущено|пропущен|dahil edilmedi|atlandı|tidak disertakan|pominięto|pominięta|छोड़ा गया|छोड़ दी गई|محذوف|محذوفة|مستبعد|مستبعدة
  생략됨|생략|제외됨|は省略されました|省略|已省略|已略過
`;

const OMITTED_THING = new RegExp(
  `^(?:${Object.entries(THINGS)
    .map(([type, words]) => `(?<${type}>${list(words).join('|')})`)
    .join('|')}) ?(?:${list(LEFT_OUT).join('|')})\\.?$`,
  'iu',
);

export function saysDeleted(text: string): boolean {
  return DELETED.has(comparable(text)) || saysDeletedByAdmin(text);
}

/** Without angle brackets. */
export function saysEdited(text: string): boolean {
  return EDITED.has(comparable(text));
}

/** Without angle brackets. */
export function saysOmitted(text: string): boolean {
  return OMITTED.has(comparable(text));
}

/** Phrases of iPhones for omitted media: `image omitted`. */
export function omittedThing(text: string): ContentType | undefined {
  const groups = OMITTED_THING.exec(plain(text))?.groups ?? {};
  const [type] = Object.entries(groups).find(([, found]) => found !== undefined) ?? [];
  return type as ContentType | undefined;
}

function setOf(phrases: string): ReadonlySet<string> {
  return new Set(list(phrases).map(comparable));
}

function list(phrases: string): string[] {
  return phrases
    .split(/[|\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '');
}

function comparable(text: string): string {
  return plain(text)
    .toLowerCase()
    .replace(/[.。।]$/u, '');
}
