import { plain } from './plain.ts';

const MAX_LENGTH = 160;
/** The admin's name, or nothing. */
const NAME = `(?:[ «„“"]+(?<name>[^\n]{1,60}?)[»“”"]*)?`;
/** Where no spaces separate words. */
const NAME_WITHIN = `(?<name>[^\n]{0,60}?)`;
const ADMIN = `admin(?:istrator)?[.]?`;

/** What WhatsApp says of a message that an admin of the group deleted, with or without the admin's name. */
const PHRASES: readonly RegExp[] = [
  `This message was deleted by (?:an? |the |group )?${ADMIN}${NAME}`,
  `You deleted this message as (?:an? |the )?(?:group )?${ADMIN}`,
  `Diese Nachricht wurde (?:von|vom|durch) (?:einem |einer |den |dem |der )?(?:Gruppen-?)?${ADMIN}${NAME} gelöscht`,
  `Du hast diese Nachricht als (?:Gruppen-?)?${ADMIN} gelöscht`,
  `(?:Este|El) mensaje (?:fue|ha sido) eliminado por (?:el |la |un |una )?admin(?:istrador|istradora)?[.]?(?: del grupo)?${NAME}`,
  `(?:El|La|Un) admin(?:istrador|istradora)?[.]?(?: del grupo)?${NAME} eliminó este mensaje`,
  `Se eliminó este mensaje por (?:el |un )?admin(?:istrador)?[.]?${NAME}`,
  `Eliminaste este mensaje como admin(?:istrador|istradora)?`,
  `Ce message a été supprimé par (?:l['’]|un |une )?admin(?:istrateur|istratrice)?(?: du groupe)?${NAME}`,
  `Vous avez supprimé ce message en tant qu['’]admin(?:istrateur|istratrice)?`,
  `Questo messaggio è stato eliminato (?:dall['’]|da |da un )?(?:admin|amministratore)(?: del gruppo)?${NAME}`,
  `Hai eliminato questo messaggio come (?:admin|amministratore)`,
  `(?:Ess?ta|Essa) mensagem foi apagada (?:pelo|pela|por|por um) admin(?:istrador|istradora)?[.]?(?: do grupo)?${NAME}`,
  `Mensagem apagada (?:pelo|pela|por|por um) admin(?:istrador|istradora)?[.]?${NAME}`,
  `Você apagou esta mensagem como admin(?:istrador|istradora)?`,
  `Dit bericht (?:is|werd) verwijderd door (?:de |een )?(?:groeps)?(?:beheerder|admin)${NAME}`,
  `Dit bericht (?:is|werd) door (?:de |een )?(?:groeps)?(?:beheerder|admin)${NAME} verwijderd`,
  `(?:Ryhmän )?(?:ylläpitäjä|admin)${NAME} poisti (?:tämän )?viestin`,
  `(?:Tämän viestin poisti|Viestin poisti) (?:ylläpitäjä|admin)${NAME}`,
  `(?:Det här |Detta )?meddelande(?:t)? (?:raderades|har raderats) av (?:en |gruppens )?(?:grupp)?admin(?:istratör|istratören)?${NAME}`,
  `Denne besked(?:en)? blev slettet af (?:en )?${ADMIN}${NAME}`,
  `(?:Данное|Это) сообщение (?:было )?удалено (?:админом|администратором)(?: группы)?${NAME}`,
  `Сообщение удалено (?:админом|администратором)(?: группы)?${NAME}`,
  `(?:Админ|Администратор)(?: группы)?${NAME} удалил(?:[(]а[)])? (?:данное|это) сообщение`,
  `Bu mesaj (?:grup )?(?:yöneticisi|yönetici|admin)${NAME} tarafından silindi`,
  `Pesan ini (?:telah )?dihapus oleh ${ADMIN}${NAME}`,
  `(?:Ta )?wiadomość została usunięta przez admina?(?:istratora)?(?: grupy)?${NAME}`,
  `(?:यह|इस) (?:मैसेज|संदेश) (?:को )?(?:ग्रुप )?एडमिन${NAME} (?:ने|द्वारा) (?:हटा दिया(?: गया)?|हटाया गया|डिलीट (?:किया(?: गया)?|कर दिया(?: गया)?))(?: है)?`,
  `(?:ग्रुप )?एडमिन${NAME} ने (?:यह|इस) (?:मैसेज|संदेश) (?:को )?(?:हटा दिया|डिलीट किया|डिलीट कर दिया)(?: है)?`,
  `تم حذف هذه الرسالة (?:من قبل|من قِبل|بواسطة) (?:ال)?مشرف(?: المجموعة)?${NAME}`,
  `حذف (?:ال)?مشرف(?: المجموعة)?${NAME} هذه الرسالة`,
  `이 메시지는 (?:그룹 )?관리자${NAME_WITHIN}(?:가|이|님이|에 의해) 삭제(?:했습니다|하였습니다|되었습니다)`,
  `(?:그룹 )?관리자${NAME_WITHIN}(?:가|이|님이) 이? ?메시지를 삭제(?:했습니다|하였습니다)`,
  `このメッセージは(?:グループ)?管理者${NAME_WITHIN}(?:によって|により|が)削除(?:されました|しました)`,
  `(?:此|這則|這條|这条|该)(?:訊息|消息)已?(?:被|由)(?:群組|群组|群)?(?:管理員|管理员)${NAME_WITHIN}(?:刪除|删除)`,
  `(?:群組|群组|群)?(?:管理員|管理员)${NAME_WITHIN}(?:已)?(?:刪除|删除)了?(?:此|這則|這條|这条|该)(?:訊息|消息)`,
  `این پیام (?:توسط|به‌?وسیله) (?:مدیر|ادمین|سرپرست)(?: گروه)?${NAME} حذف شد`,
  `(?:הודעה זו|ההודעה) נמחקה על ידי (?:ה?מנהל(?:ת)?|ה?אדמין)(?: הקבוצה)?${NAME}`,
  `Ezt az üzenetet (?:egy |a )?(?:csoport)?admin(?:isztrátor)?${NAME} törölte`,
  `Tato zpráva byla odstraněna (?:správcem|administrátorem|adminem)(?: skupiny)?${NAME}`,
  `Tuto zprávu (?:odstranil|smazal) (?:správce|administrátor|admin)(?: skupiny)?${NAME}`,
].map((phrase) => new RegExp(`^(?:${phrase})[.。।]?$`, 'iu'));

/** Somebody could write such a sentence and go on; a name does not begin with a small letter. */
export function saysDeletedByAdmin(text: string): boolean {
  if (text.length > MAX_LENGTH || text.includes('\n')) return false;
  const said = plain(text);
  return PHRASES.some((phrase) => {
    const found = phrase.exec(said);
    return found !== null && !/^\p{Ll}/u.test(found.groups?.name ?? '');
  });
}
